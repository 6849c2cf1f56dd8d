import fc from 'fast-check';
import { expect, it } from 'vitest';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { string } from '../../../lib/serde/string-serde.js';
import { resolvePartitions } from '../../../lib/topology/resolve-partitions.js';
import { keyValueStore } from '../../../lib/topology/stores.js';
import type { Topology } from '../../../lib/topology/topology.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';

const text = { key: string(), value: string() };
const nothing = () => ({ process: () => undefined });

/** Some sources; then processors, each below an earlier node; some share a store. */
const graphs = fc
  .record({
    partitions: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 }),
    parents: fc.array(fc.nat(), { maxLength: 12 }),
    shared: fc.array(fc.nat(), { maxLength: 4 }),
  })
  .map(({ partitions, parents, shared }) => {
    const builder = new TopologyBuilder();
    const names = partitions.map((_, index) => `source-${index}`);
    for (const name of names) builder.addSource(name, `topic-${name}`, text);
    const processors: string[] = [];
    for (const [index, parent] of parents.entries()) {
      const name = `step-${index}`;
      builder.addProcessor(name, nothing, { parents: names[parent % names.length] ?? '' });
      names.push(name);
      processors.push(name);
    }
    const users = processors.length === 0 ? [] : shared.map((at) => processors[at % processors.length] ?? '');
    if (users.length > 0) builder.addStateStore(keyValueStore({ name: 'shared', ...text }), ...users);
    const counts = new Map(partitions.map((count, index) => [`topic-source-${index}`, count]));
    return { topology: builder.build(), counts };
  });

/** Groups of names by brute force: nodes joined by edges and by the store, merged until nothing changes. */
function connected(topology: Topology): string[][] {
  const groups = [...topology.nodes.keys()].map((name) => new Set([name]));
  const join = (a: string, b: string) => {
    const [first, second] = [groups.find((group) => group.has(a)), groups.find((group) => group.has(b))];
    if (first === undefined || second === undefined || first === second) return;
    for (const name of second) first.add(name);
    groups.splice(groups.indexOf(second), 1);
  };
  for (const node of topology.nodes.values()) {
    if (node.kind !== 'source') for (const parent of node.parents) join(node.name, parent);
  }
  const users = [...topology.nodes.values()].filter((node) => node.kind === 'processor' && node.stores.length > 0);
  for (const user of users) join(user.name, users[0]?.name ?? '');
  return groups.map((group) => [...group].sort());
}

it('a sub-topology is what is joined by edges and stores, and nothing else', () => {
  fc.assert(
    fc.property(graphs, ({ topology }) => {
      const parts = topology.subTopologies.map(({ nodes }) => [...nodes].sort());

      expect(parts.map(String).sort()).toEqual(connected(topology).map(String).sort());
    }),
  );
});

it('each partition of each source topic is read by one task, and a task reads one partition of each topic', () => {
  fc.assert(
    fc.property(graphs, ({ topology, counts }) => {
      const { tasks } = resolvePartitions({ applicationId: 'app', topology }, counts);
      const read = tasks.flatMap(({ inputs }) => inputs.map(topicPartitionKey));
      const all = [...counts].flatMap(([topic, count]) =>
        Array.from({ length: count }, (_, partition) => topicPartitionKey({ topic, partition })),
      );

      expect(read.sort()).toEqual(all.sort());
      for (const { partition, inputs } of tasks)
        expect(new Set(inputs.map((at) => at.partition))).toEqual(new Set([partition]));
    }),
  );
});

it('the description names each node once, in any topology', () => {
  fc.assert(
    fc.property(graphs, ({ topology }) => {
      const named = [...topology.describe().matchAll(/(?:Source|Processor): (\S+) /g)].map((match) => match[1]);

      expect(named.sort()).toEqual([...topology.nodes.keys()].sort());
    }),
  );
});
