/**
 * What the serdes of a task look up before it begins (SerdeLookups): for the topics that it writes, and for the bytes that its stores
 * hold from runs before. Records are looked up as they come (RecordGate), topics that records choose when they are first chosen.
 */
import { asBuffer, bytesOfKey } from '../model/byte-key.js';
import { lookUpTopic, Waiting } from '../serde/lookups.js';
import type { TransactionalStore } from '../state/byte-store.js';
import { type StreamsApp, storeTopic, topicName } from '../topology/app.js';
import type { StoreSpec } from '../topology/store-spec.js';
import type { SubTopology } from '../topology/topology.js';

/** Looks up what a task of a sub-topology needs, restored stores given; undefined: nothing. */
export function lookUpTask(
  app: StreamsApp,
  part: SubTopology,
  stores: ReadonlyMap<string, TransactionalStore>,
): Promise<void> | undefined {
  const waiting = new Waiting();
  for (const name of part.nodes) {
    const node = app.topology.nodes.get(name);
    if (node?.kind !== 'sink' || typeof node.topic !== 'string') continue;
    waiting.add(lookUpTopic(topicName(app, node.topic), { key: node.keySerde, value: node.valueSerde }));
  }
  for (const name of part.stores) {
    const spec = app.topology.stores.get(name);
    const store = stores.get(name);
    if (spec !== undefined && store !== undefined) waiting.add(lookUpStore(app, spec, store));
  }
  return waiting.all();
}

/** Looks up what one store needs: for its changelog, and for its content. */
export function lookUpStore(
  app: StreamsApp,
  spec: StoreSpec,
  store: Pick<TransactionalStore, 'committed'>,
): Promise<void> | undefined {
  const topic = lookUpTopic(storeTopic(app, spec.name), { key: spec.keySerde, value: spec.valueSerde });
  // The topic first: most of the content is of the schema that is then known.
  return topic === undefined ? lookUpContent(spec, store) : topic.then(() => lookUpContent(spec, store));
}

function lookUpContent(spec: StoreSpec, store: Pick<TransactionalStore, 'committed'>): Promise<void> | undefined {
  const key = spec.changelogKeySerde ?? spec.keySerde;
  const value = spec.valueSerde;
  if (key.lookups === undefined && value.lookups === undefined) return undefined;
  const waiting = new Waiting();
  const { versions } = spec.layout ?? {};
  for (const entry of store.committed()) {
    const write = versions === undefined ? entry : versions.toChangelog(entry);
    const keyBytes = key.lookups === undefined ? null : bytesOfKey(write.key);
    if (keyBytes !== null) waiting.add(key.lookups?.forBytes(asBuffer(keyBytes), 0, keyBytes.length));
    if (value.lookups === undefined || write.value === null) continue;
    waiting.add(value.lookups.forBytes(asBuffer(write.value), 0, write.value.length));
  }
  return waiting.all();
}
