/**
 * Placements as flows: each unit flows from the source over a task and a member to the sink, at the cost of that task on that
 * member. Members keep the number of tasks that they have. Kafka: `MinTrafficGraphConstructor` and
 * `BalanceSubtopologyGraphConstructor`.
 */

import type { MemberState, PlacedTask } from '../cluster.js';
import type { KindOf } from './balance.js';
import { type FlowEdge, FlowGraph } from './flow-graph.js';
import type { CostOf } from './zones.js';

/** Tasks of one kind that are placed, each on exactly one of the members, and may change places among them. */
export interface Exchange {
  /** In order. */
  readonly tasks: readonly PlacedTask[];
  readonly members: readonly MemberState[];
  readonly kindOf: KindOf;
  readonly costOf: CostOf;
}

/** Solves an exchange. @returns the member of each task, in the order of tasks */
export type Solve = (exchange: Exchange) => readonly (MemberState | undefined)[];

const SOURCE = -1;

/** The exchange that costs least. */
export const leastTraffic: Solve = ({ tasks, members, kindOf, costOf }) => {
  const memberNode = (index: number): number => tasks.length + index;
  const sink = memberNode(members.length);
  const held = heldOf(tasks, members, kindOf);
  const graph = new FlowGraph([
    ...tasks.flatMap((task, from): FlowEdge[] => [
      { from: SOURCE, to: from, capacity: 1, cost: 0, flow: 1 },
      ...members.map((state, index): FlowEdge => {
        const flow = kindOf(state).has(task) ? 1 : 0;
        return { from, to: memberNode(index), capacity: 1, cost: costOf(task, state), flow };
      }),
    ]),
    ...held.map((count, index): FlowEdge => {
      return { from: memberNode(index), to: sink, capacity: count, cost: 0, flow: count };
    }),
  ]);
  graph.minimise();
  return tasks.map((_, node) => members[(graph.flowsTo(node) ?? Number.NaN) - tasks.length]);
};

/**
 * The exchange that costs least of those in which each member has its share of each sub-topology, rounded up.
 *
 * A member has one node for each sub-topology, which lets through its share, and one for all of them.
 */
export const leastTrafficBySubTopology: Solve = ({ tasks, members, kindOf, costOf }) => {
  const groups = bySubTopology(tasks);
  const memberNode = (group: number, index: number): number => tasks.length + members.length * group + index;
  const sink = memberNode(groups.length, members.length);
  const held = heldOf(tasks, members, kindOf);
  const edges: FlowEdge[] = held.map((capacity, index) => {
    return { from: memberNode(groups.length, index), to: sink, capacity, cost: 0, flow: 0 };
  });
  for (const [group, inGroup] of groups.entries()) {
    for (const [from, task] of inGroup) {
      edges.push({ from: SOURCE, to: from, capacity: 1, cost: 0, flow: 0 });
      for (const [index, state] of members.entries())
        edges.push({ from, to: memberNode(group, index), capacity: 1, cost: costOf(task, state), flow: 0 });
    }
    for (const [index, count] of held.entries()) {
      const capacity = Math.ceil((count / tasks.length) * inGroup.length);
      edges.push({ from: memberNode(group, index), to: memberNode(groups.length, index), capacity, cost: 0, flow: 0 });
    }
  }
  const graph = new FlowGraph(edges);
  graph.maximise(SOURCE, sink);
  graph.minimise();
  return tasks.map((_, node) => members[((graph.flowsTo(node) ?? Number.NaN) - tasks.length) % members.length]);
};

/** Tasks with their nodes, group by group. */
function bySubTopology(tasks: readonly PlacedTask[]): readonly (readonly (readonly [number, PlacedTask])[])[] {
  const groups = new Map<number, (readonly [number, PlacedTask])[]>();
  for (const entry of tasks.entries()) {
    const { subTopology } = entry[1];
    groups.set(subTopology, [...(groups.get(subTopology) ?? []), entry]);
  }
  return [...groups.values()];
}

/** How many of the tasks each member holds. */
function heldOf(tasks: readonly PlacedTask[], members: readonly MemberState[], kindOf: KindOf): number[] {
  return members.map((state) => tasks.filter((task) => kindOf(state).has(task)).length);
}
