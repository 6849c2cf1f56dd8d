/** Makes a case that fails smaller: fewer inputs, fewer nodes. */
import type { CaseTopology } from '../build-topology.js';
import type { CaseNode } from '../case-nodes.js';
import type { CaseInput, ProcessingCase } from '../parity-case.js';

/** Asks at most so often whether a smaller case still fails. */
const MAX_TRIES = 150;

export async function shrink(
  of: ProcessingCase,
  fails: (smaller: ProcessingCase) => Promise<boolean>,
): Promise<ProcessingCase> {
  let tries = MAX_TRIES;
  const stillFails = async (smaller: ProcessingCase) => {
    tries -= 1;
    return tries >= 0 && (await fails(smaller));
  };
  let best = of;
  for (const smaller of withoutNodes) {
    for (let at = nodesOf(best).length - 1; at >= 0; at -= 1) {
      const candidate = smaller(best, at);
      if (candidate !== undefined && (await stillFails(candidate))) {
        best = candidate;
        at = Math.min(at, nodesOf(best).length);
      }
    }
  }
  for (let size = Math.ceil(best.inputs.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = best.inputs.length - size; from > -size; from -= size) {
      const inputs = best.inputs.filter((_, index) => index < from || index >= from + size);
      const candidate = { ...best, inputs };
      if (inputs.length < best.inputs.length && (await stillFails(candidate))) best = candidate;
    }
  }
  return best;
}

function nodesOf(of: ProcessingCase): readonly CaseNode[] {
  return (of.topology as unknown as CaseTopology).nodes ?? [];
}

/** Without a node and all that comes after it; without the node alone, where its successors can have its input. */
const withoutNodes: readonly ((of: ProcessingCase, at: number) => ProcessingCase | undefined)[] = [
  (of, at) => {
    const gone = new Set<string>();
    const nodes = nodesOf(of).filter((node, index) => {
      const inputs = [node.in, node.left, node.right, ...(node.groups ?? []).map((group) => group.in)];
      const isGone =
        index === at || inputs.some((id) => id !== undefined && (gone.has(id) || gone.has(id.split('.')[0] ?? '')));
      if (isGone && node.id !== undefined) gone.add(node.id);
      return !isGone;
    });
    return withNodes(of, nodes);
  },
  (of, at) => {
    const node = nodesOf(of)[at];
    const input = node?.in ?? node?.left;
    if (node?.id === undefined || input === undefined) return undefined;
    const { id } = node;
    const moved = (from: string | undefined) => (from === id ? input : from);
    const nodes = nodesOf(of)
      .filter((each) => each !== node)
      .map((each) => ({
        ...each,
        ...(each.in === undefined ? {} : { in: moved(each.in) ?? '' }),
        ...(each.left === undefined ? {} : { left: moved(each.left) ?? '', right: moved(each.right) ?? '' }),
      }));
    return withNodes(of, nodes);
  },
];

function withNodes(of: ProcessingCase, nodes: readonly CaseNode[]): ProcessingCase {
  const topics = new Set(
    nodes.flatMap(({ op, topic, topics: several = [] }) => (op === 'to' ? [] : [topic ?? '', ...several])),
  );
  const stores = new Set(
    nodes.flatMap((node) => [...(node.stores ?? []), ...(node.op === 'globalStore' ? [node.store ?? ''] : [])]),
  );
  const given = of.topology as unknown as CaseTopology;
  const kept = (given.stores ?? []).filter(({ name }) => stores.has(name));
  const topology = { ...(kept.length === 0 ? {} : { stores: kept }), nodes };
  const inputs = of.inputs.filter((input: CaseInput) => 'advanceWallClockMs' in input || topics.has(input.topic));
  return { ...of, topology: topology as unknown as ProcessingCase['topology'], inputs };
}
