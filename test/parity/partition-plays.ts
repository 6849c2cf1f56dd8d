/** What a case comes to where its topics have several partitions, and what of that one partition can tell beforehand. */
import { defaultPartition } from '../../lib/topology/default-partitioner.js';
import { canonical } from './compare.js';
import type { CaseInput, CaseRecord, ProcessingCase } from './parity-case.js';
import type { CaseOutcome } from './play-case.js';

export const PARTITIONS = 3;

/** The partition of a record in the partitions' run: keys of cases are texts. */
export function partitionOf(input: CaseInput): number {
  if (!('topic' in input)) return 0;
  const bytes = (of: unknown) => (of === null ? null : Buffer.from(String(of)));
  return defaultPartition(bytes(input.key), bytes(input.value), PARTITIONS);
}

/** Why a case says nothing about partitions. Undefined: it does. */
export function whyNotSpread({ topology, errorAt, inputs }: ProcessingCase): string | undefined {
  const text = JSON.stringify(topology);
  if (errorAt !== undefined) return 'it ends in an error';
  if (/"(metadata|punctuate|flushOnPunctuate)"/.test(text)) return 'its processors speak of their task';
  if (text.includes('"key":"long"')) return 'its keys are no texts';
  if (inputs.some((input) => 'advanceWallClockMs' in input)) return 'every task has its own punctuations';
  return undefined;
}

/** Whether every record stays in the partition that it came in. */
export function staysInPartition({ app }: CaseOutcome): boolean {
  return app !== undefined && app.topology.repartitionTopics.size === 0 && app.topology.globalStores.size === 0;
}

/** The same case with the inputs of one partition alone. */
export function ofPartition(of: ProcessingCase, partition: number): ProcessingCase {
  return { ...of, inputs: of.inputs.filter((input) => partitionOf(input) === partition) };
}

/** The same case, one partition's inputs after the other's, from the last partition down. */
export function contrary(of: ProcessingCase): ProcessingCase {
  const inputs = Array.from({ length: PARTITIONS }, (_, at) => ofPartition(of, PARTITIONS - 1 - at).inputs).flat();
  return { ...of, inputs };
}

/**
 * Records by topic and key, in order; not which input caused them, nor the partitions that some formats name. Records without a key
 * have no order among partitions.
 */
export function byKey(...outcomes: readonly CaseOutcome[]): Lists {
  const lists: Record<string, string[]> = {};
  for (const { written } of outcomes) {
    for (const [topic, records] of written) {
      for (const { i: _, ...record } of records as readonly CaseRecord[])
        add(lists, `${topic} ${canonical(record.key)}`, withoutPartition(canonical(record)));
    }
  }
  for (const [name, list] of Object.entries(lists)) if (name.endsWith(' null')) list.sort();
  return lists;
}

/** Content of stores, whichever task holds it; without those whose formats name partitions. */
export function contentOf(...outcomes: readonly CaseOutcome[]): Lists {
  const lists: Record<string, string[]> = {};
  for (const { images, app } of outcomes) {
    for (const [store, entries] of images) {
      const kind = app?.topology.stores.get(store)?.kind;
      if (kind !== 'suppressed' && kind !== 'waiting') for (const entry of entries) add(lists, store, entry);
    }
  }
  return Object.fromEntries(Object.entries(lists).map(([store, list]) => [store, list.sort()]));
}

/** The last value of each key of the output topics: what even a table of several inputs comes to whatever their order. */
export function lastValues({ written, app }: CaseOutcome): Readonly<Record<string, string>> {
  const last: Record<string, string> = {};
  const isInternal = (topic: string) => app !== undefined && topic.startsWith(`${app.applicationId}-`);
  for (const [topic, records] of written) {
    if (isInternal(topic)) continue;
    for (const { key, value } of records) last[`${topic} ${canonical(key)}`] = canonical(value);
  }
  return last;
}

type Lists = Readonly<Record<string, readonly string[]>>;

function add(lists: Record<string, string[]>, name: string, item: string): void {
  const list = lists[name];
  if (list === undefined) lists[name] = [item];
  else list.push(item);
}

/** A buffered record says where it came from, and a subscription of a foreign-key join where its answer goes. */
function withoutPartition(text: string): string {
  return text.replace(/"partition":\d+/g, '"partition":0').replace(/primaryPartition=\d+/g, 'primaryPartition=0');
}
