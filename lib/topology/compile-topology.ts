/** From the nodes that a builder collected to the frozen topology: sub-topologies, changelogs, copartition groups, text. */
import { TopologyError } from '../model/errors.js';
import { describeTopology } from './describe.js';
import type { TopologyNode } from './node.js';
import { compareNames, NodeGroups } from './node-groups.js';
import type { StoreSpec } from './store-spec.js';
import type { Changelog, GlobalStore, RepartitionTopic, SubTopology, Topology } from './topology.js';

/** What a builder has collected; nodes in the order in which they were added, parents before children. */
export interface TopologyParts {
  readonly nodes: ReadonlyMap<string, TopologyNode>;
  readonly stores: ReadonlyMap<string, StoreSpec>;
  /** By store. */
  readonly globalStores: ReadonlyMap<string, GlobalStoreParts>;
  /** Processors connected to each store. */
  readonly users: ReadonlyMap<string, readonly string[]>;
  readonly repartitionTopics: ReadonlyMap<string, RepartitionTopic>;
  /** Names of sources whose topics must have one partition count. */
  readonly copartitioned: readonly (readonly string[])[];
  /** The same, of those for which Kafka Streams does not ask. */
  readonly copartitionedUnasked: readonly (readonly string[])[];
  /** Source topics that serve as changelogs, by store. */
  readonly sourceTopicOfStore: ReadonlyMap<string, string>;
}

/** A global store, and what it is called by; its nodes are among the others. */
export interface GlobalStoreParts extends Omit<GlobalStore, 'id'> {
  readonly spec: StoreSpec;
}

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for a topology without sources, an unused repartition topic */
export function compileTopology(collected: TopologyParts): Topology {
  const parts = { ...collected, stores: connectedStores(collected) };
  const nodes = new Map([...parts.nodes].map(([name, node]) => [name, frozenNode(node)]));
  const sources = new Set([...nodes.values()].filter(({ kind }) => kind === 'source').map(({ name }) => name));
  if (sources.size === 0) throw new TopologyError('the topology has no source: nothing would ever be read');
  checkRepartitionTopics(parts, nodes);
  const copartitionGroups = parts.copartitioned.map((names) => topicsRead(names, nodes));
  for (const group of copartitionGroups) checkExplicitCounts(group, parts.repartitionTopics);
  const groups = joinNodes(parts).numbered(sources);
  const globals = new Map([...parts.globalStores.values()].map((global) => [global.source, global]));
  const numbered = groups.map((names, id) => ({ id, nodes: names, global: globalOf(names, globals) }));
  return Object.freeze({
    nodes,
    children: childrenOf(nodes),
    stores: new Map([...parts.stores, ...[...globals.values()].map(({ spec }) => [spec.name, spec] as const)]),
    subTopologies: Object.freeze(
      numbered.flatMap(({ id, nodes: names, global }) =>
        global === undefined ? [subTopology(id, new Set(names), nodes)] : [],
      ),
    ),
    globalStores: new Map(
      numbered.flatMap(({ id, global }) => (global === undefined ? [] : [[global.store, globalStore(id, global)]])),
    ),
    repartitionTopics: new Map(parts.repartitionTopics),
    changelogs: changelogsOf(parts),
    copartitionGroups: Object.freeze(copartitionGroups),
    copartitionedUnasked: Object.freeze(parts.copartitionedUnasked.map((names) => topicsRead(names, nodes))),
    readAmong: (matches: ReadonlyMap<string, readonly string[]>) =>
      compileTopology({ ...parts, nodes: matchedNodes(nodes, matches) }),
    describe: () =>
      describeTopology(
        numbered.map(({ id, nodes: names, global }) => ({ id, nodes: names, isGlobal: global !== undefined })),
        nodes,
      ),
  });
}

function frozenNode(node: TopologyNode): TopologyNode {
  return Object.freeze({ ...node });
}

function matchedNodes(
  nodes: ReadonlyMap<string, TopologyNode>,
  matches: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, TopologyNode> {
  return new Map(
    [...nodes].map(([name, node]) => {
      const topics = matches.get(name);
      return [name, topics === undefined || node.kind !== 'source' ? node : { ...node, topics }];
    }),
  );
}

function globalOf(
  names: readonly string[],
  globals: ReadonlyMap<string, GlobalStoreParts>,
): GlobalStoreParts | undefined {
  const source = names.find((name) => globals.has(name));
  return source === undefined ? undefined : globals.get(source);
}

function globalStore(id: number, { store, topic, source, processor }: GlobalStoreParts): GlobalStore {
  return Object.freeze({ id, store, topic, source, processor });
}

/** A store that no processor is connected to is left out, with its changelog: nobody could ever write to it. As in Kafka Streams. */
function connectedStores({ stores, users }: TopologyParts): ReadonlyMap<string, StoreSpec> {
  return new Map([...stores].filter(([name]) => (users.get(name) ?? []).length > 0));
}

function checkRepartitionTopics(parts: TopologyParts, nodes: ReadonlyMap<string, TopologyNode>): void {
  const written = new Set([...nodes.values()].map((node) => (node.kind === 'sink' ? node.topic : undefined)));
  const read = new Set([...nodes.values()].flatMap((node) => (node.kind === 'source' ? node.topics : [])));
  for (const topic of parts.repartitionTopics.keys()) {
    if (written.has(topic) && read.has(topic)) continue;
    throw new TopologyError(`repartition topic '${topic}' must be both written by a sink and read by a source`, {
      details: { topic, written: written.has(topic), read: read.has(topic) },
    });
  }
}

/**
 * Counts that the user has set for topics that must have one, where each of them has one; where not, the counts of topics that exist
 * decide at start. Kafka: `validateCopartition`.
 */
function checkExplicitCounts(group: readonly string[], repartitionTopics: TopologyParts['repartitionTopics']): void {
  const set = group.flatMap((topic) => {
    const partitions = repartitionTopics.get(topic)?.partitions;
    return partitions === undefined ? [] : [[topic, partitions] as const];
  });
  if (set.length < group.length) return;
  if (new Set(set.map(([, partitions]) => partitions)).size < 2) return;
  const named = set.map(([topic, partitions]) => `'${topic}' has ${partitions}`);
  throw new TopologyError(`joined topics need one number of partitions: ${named.join(', ')}`, {
    details: { partitions: Object.fromEntries(set) },
    remedy: 'Give both repartitions the same number of partitions, or leave it out of one.',
  });
}

function joinNodes(parts: TopologyParts): NodeGroups {
  const groups = new NodeGroups();
  for (const name of parts.nodes.keys()) groups.add(name);
  for (const node of parts.nodes.values()) {
    if (node.kind !== 'source') for (const parent of node.parents) groups.unite(node.name, parent);
  }
  for (const [first, ...others] of parts.users.values()) {
    if (first !== undefined) for (const other of others) groups.unite(first, other);
  }
  return groups;
}

function childrenOf(nodes: ReadonlyMap<string, TopologyNode>): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>([...nodes.keys()].map((name) => [name, []]));
  for (const node of nodes.values()) {
    if (node.kind !== 'source') for (const parent of node.parents) children.get(parent)?.push(node.name);
  }
  return children;
}

function subTopology(id: number, members: ReadonlySet<string>, nodes: ReadonlyMap<string, TopologyNode>): SubTopology {
  const list = [...nodes.values()].filter(({ name }) => members.has(name));
  const sinks = list.flatMap((node) => (node.kind === 'sink' && typeof node.topic === 'string' ? [node.topic] : []));
  return Object.freeze({
    id,
    nodes: Object.freeze(list.map(({ name }) => name)),
    sourceTopics: sortedSet(list.flatMap((node) => (node.kind === 'source' ? node.topics : []))),
    sinkTopics: sortedSet(sinks),
    stores: sortedSet(list.flatMap((node) => (node.kind === 'processor' ? node.stores : []))),
  });
}

/** A store whose source topic serves as its changelog is restored from it even if it is not logged, as in Kafka Streams. */
function changelogsOf({ stores, sourceTopicOfStore }: TopologyParts): ReadonlyMap<string, Changelog> {
  const changelogs = new Map<string, Changelog>();
  for (const { name, logged } of stores.values()) {
    const source = sourceTopicOfStore.get(name);
    if (source !== undefined) changelogs.set(name, Object.freeze({ store: name, topic: source, internal: false }));
    else if (logged) changelogs.set(name, Object.freeze({ store: name, topic: `${name}-changelog`, internal: true }));
  }
  return changelogs;
}

function topicsRead(sources: readonly string[], nodes: ReadonlyMap<string, TopologyNode>): readonly string[] {
  const read = sources.map((name) => nodes.get(name));
  return sortedSet(read.flatMap((node) => (node?.kind === 'source' ? node.topics : [])));
}

function sortedSet(names: readonly string[]): readonly string[] {
  return Object.freeze([...new Set(names)].sort(compareNames));
}
