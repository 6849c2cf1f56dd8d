/** Topologies of cases with a node left out. */
import type { PapiNode } from '../build-papi.js';
import type { CaseTopology } from '../build-topology.js';
import type { CaseNode } from '../case-nodes.js';
import type { ProcessorRef } from '../case-processors.js';

type Smaller = (of: CaseTopology, at: number) => CaseTopology | undefined;

/** Without a node and all that comes after it; without the node alone, where its successors can have its input. */
export const withoutNodes: readonly Smaller[] = [
  (of, at) => (of.papi === undefined ? withoutOperators(of, at) : withoutPapiNodes(of, of.papi, at)),
  (of, at) => (of.papi === undefined ? withoutOperator(of, at) : withoutPapiNode(of, of.papi, at)),
];

/** The topics that a topology reads. */
export function topicsOf({ nodes = [], papi = [] }: CaseTopology): ReadonlySet<string> {
  const read = [...nodes, ...papi].filter(({ op }) => op !== 'to' && op !== 'sink');
  return new Set(read.flatMap(({ topic, topics = [] }) => [topic ?? '', ...topics]));
}

const withoutOperators: Smaller = (of, at) => {
  const gone = new Set<string>();
  const nodes = (of.nodes ?? []).filter((node, index) => {
    const inputs = [node.in, node.left, node.right, ...(node.groups ?? []).map((group) => group.in)];
    const isGone =
      index === at || inputs.some((id) => id !== undefined && (gone.has(id) || gone.has(id.split('.')[0] ?? '')));
    if (isGone && node.id !== undefined) gone.add(node.id);
    return !isGone;
  });
  return withNodes(of, nodes);
};

const withoutOperator: Smaller = (of, at) => {
  const node = of.nodes?.[at];
  const input = node?.in ?? node?.left;
  if (node?.id === undefined || input === undefined) return undefined;
  const { id } = node;
  const moved = (from: string | undefined) => (from === id ? input : from);
  const nodes = (of.nodes ?? [])
    .filter((each) => each !== node)
    .map((each) => ({
      ...each,
      ...(each.in === undefined ? {} : { in: moved(each.in) ?? '' }),
      ...(each.left === undefined ? {} : { left: moved(each.left) ?? '', right: moved(each.right) ?? '' }),
    }));
  return withNodes(of, nodes);
};

function withNodes(of: CaseTopology, nodes: readonly CaseNode[]): CaseTopology {
  return { ...storesOf(of, nodes), nodes };
}

function withoutPapiNodes(of: CaseTopology, papi: readonly PapiNode[], at: number): CaseTopology | undefined {
  const gone = new Set<string>();
  const isOrphan = ({ parents }: PapiNode) => parents?.every((parent) => gone.has(parent)) ?? false;
  const left = papi.filter((node, index) => {
    const isGone = index === at || isOrphan(node);
    if (isGone) gone.add(node.name);
    return !isGone;
  });
  return papi[at]?.op === 'store' ? undefined : withPapi(of, left);
}

function withoutPapiNode(of: CaseTopology, papi: readonly PapiNode[], at: number): CaseTopology | undefined {
  const node = papi[at];
  if (node?.op !== 'processor') return undefined;
  const left = papi.filter((each) => each !== node);
  return withPapi(
    of,
    left.map((each) => ({ ...each, ...renamed(each, node) })),
  );
}

/** The parents of a node with those of one that is gone in its place. */
function renamed({ parents }: PapiNode, gone: PapiNode): Partial<PapiNode> {
  if (parents === undefined) return {};
  return {
    parents: [...new Set(parents.flatMap((parent) => (parent === gone.name ? (gone.parents ?? []) : [parent])))],
  };
}

function withPapi(of: CaseTopology, nodes: readonly PapiNode[]): CaseTopology {
  const names = new Set(nodes.map(({ name }) => name));
  const papi = nodes
    .map((node) => ({
      ...node,
      ...(node.parents === undefined ? {} : { parents: node.parents.filter((parent) => names.has(parent)) }),
      ...(node.processors === undefined ? {} : { processors: node.processors.filter((user) => names.has(user)) }),
      ...(typeof node.processor === 'object' ? { processor: routed(node, node.processor, nodes) } : {}),
    }))
    .filter(({ op, processors }) => op !== 'store' || (processors ?? []).length > 0);
  return { ...storesOf(of, papi), papi };
}

/** What is routed to a child that is gone goes to another. */
function routed(node: PapiNode, ref: ProcessorRef, nodes: readonly PapiNode[]): ProcessorRef {
  if (ref.type !== 'route') return ref;
  const children = nodes.filter(({ parents = [] }) => parents.includes(node.name)).map(({ name }) => name);
  const rules = (ref.rules ?? []).filter(({ child }) => children.includes(child));
  const fallback = ref.default === 'nobody' || children.includes(ref.default ?? '') ? ref.default : children[0];
  return { type: ref.type, rules, default: fallback ?? 'nobody' };
}

/** The stores that are still asked for. */
function storesOf(of: CaseTopology, nodes: readonly (CaseNode | PapiNode)[]): Pick<CaseTopology, 'stores'> {
  const used = new Set(
    nodes.flatMap(({ op, store, stores = [] }) => [
      ...stores,
      ...(op === 'globalStore' || op === 'store' ? [store] : []),
    ]),
  );
  const stores = (of.stores ?? []).filter(({ name }) => used.has(name));
  return stores.length === 0 ? {} : { stores };
}
