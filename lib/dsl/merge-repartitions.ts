/**
 * Merges the repartition topics after one change of key into one. Kafka: `InternalStreamsBuilder.mergeRepartitionTopics`.
 *
 * ```
 *   selectKey ─┬─ repartition a ─ count          selectKey ── repartition a ─┬─ count
 *              └─ filter ─ repartition b ─ reduce                            └─ filter ─ reduce
 * ```
 * Only what neither key nor value is changed by may stand between: the topic then holds what each of them would have held. Where
 * streams meet in a merge before they are repartitioned, the topic comes after the merge.
 *
 * The walk upwards is Kafka Streams', with its preference for the last of several parents: which topics are merged, and so their
 * names, depends on it. Unlike Kafka Streams 4.1 a step written by hand (`process`) is taken to change values, so that it is never
 * moved behind a repartition topic with the serdes of what it gives.
 */
import type { GraphPlan, PlannedNode } from './graph-plan.js';
import { mergedRepartition } from './repartition.js';

type Keyed = Map<PlannedNode, Set<PlannedNode>>;

export function mergeRepartitions(plan: GraphPlan): void {
  const groups = moveToMerges(plan, groupByKeyChange(plan));
  for (const [keyChange, repartitions] of groups)
    if (repartitions.size > 0) mergeInto(plan, keyChange, [...repartitions]);
}

/** The repartition topics that each change of key leads to, with nothing in between that matters. */
function groupByKeyChange(plan: GraphPlan): Keyed {
  const groups: Keyed = new Map();
  for (const node of plan.inOrder()) {
    if (node.of.changesKey === true) groups.set(node, new Set());
    else if (node.of.repartitions !== undefined) {
      const change = above(node, ({ of }) => of.changesKey === true || of.changesValue === true);
      const keyChange = above(node, ({ of }) => of.changesKey === true);
      if (keyChange !== null && keyChange === change) groups.get(keyChange)?.add(node);
    }
  }
  return groups;
}

/** Changes of key that meet in a merge before the topic: the merge stands for them. */
function moveToMerges(plan: GraphPlan, groups: Keyed): Keyed {
  const met = new Map<PlannedNode, readonly PlannedNode[]>();
  for (const merge of plan.inOrder().filter(({ of }) => of.merges === true)) {
    const changes = [...groups].filter(
      ([change, repartitions]) =>
        [...repartitions].every((each) => above(each, (node) => node.parents.has(merge)) !== null) &&
        above(merge, (node) => node.parents.has(change)) !== null,
    );
    met.set(
      merge,
      changes.map(([change]) => change),
    );
  }
  const moved: Keyed = new Map(groups);
  for (const [merge, changes] of met) {
    moved.set(merge, new Set(changes.flatMap((change) => [...(groups.get(change) ?? [])])));
  }
  for (const change of [...met.values()].flat()) moved.delete(change);
  return moved;
}

function mergeInto(plan: GraphPlan, keyChange: PlannedNode, replaced: readonly PlannedNode[]): void {
  const [first] = replaced.flatMap(({ of }) => of.repartitions ?? []);
  if (first === undefined) return;
  const single = plan.insert(mergedRepartition(keyChange.of, first), keyChange.priority);
  for (const each of replaced) {
    const child = above(each, (node) => node.parents.has(keyChange));
    if (child !== null) {
      plan.connect(single, child);
      plan.disconnect(keyChange, child);
    }
    plan.replaceSource(each, single);
    plan.bypass(each);
  }
  plan.connect(keyChange, single);
}

/** The nearest node upwards for which it holds, the node itself included; of several ways up the last one counts. */
function above(node: PlannedNode, holds: (node: PlannedNode) => boolean): PlannedNode | null {
  if (holds(node)) return node;
  let found: PlannedNode | null = null;
  for (const parent of node.parents) {
    if (holds(parent)) return parent;
    found = above(parent, holds);
  }
  return found;
}
