/** The records and stores of a run as its topology's serdes read them. */

import { byteKey } from '../../../model/byte-key.js';
import { DeserializationError, QueryRefusedError, UnknownTopicError } from '../../../model/errors.js';
import { suggestion } from '../../../model/nearest.js';
import { messageOf } from '../../../model/thrown.js';
import type { Serde } from '../../../serde/serde.js';
import { MemoryStore } from '../../../state/memory-store.js';
import type { StateStore } from '../../../state/state-store.js';
import { internalTopicName, type StreamsApp } from '../../../topology/app.js';
import { serdesByTopic, type TopicSerdes } from '../../topic-serdes.js';
import type { SimulatedRecord, SimulatedResults } from './simulated-run.js';
import type { KeptRecord, TopicContents } from './topic-contents.js';

export class DecodedResults<Outside> implements SimulatedResults<Outside> {
  readonly outside: Outside;
  private readonly app: StreamsApp;
  private readonly contents: TopicContents;
  private readonly serdes: ReadonlyMap<string, TopicSerdes>;

  constructor(app: StreamsApp, contents: TopicContents, outside: Outside) {
    this.app = app;
    this.contents = contents;
    this.outside = outside;
    this.serdes = serdesByTopic(app);
  }

  outputs(topic: string, serdes?: TopicSerdes): readonly SimulatedRecord<never, never>[] {
    const records = this.recordsOf(topic);
    return decodeRecords(topic, records, serdes ?? this.serdesOf(topic)) as readonly SimulatedRecord<never, never>[];
  }

  stores<S extends StateStore>(name: string): readonly S[] {
    const spec = this.app.topology.stores.get(name);
    const changelog = this.app.topology.changelogs.get(name);
    if (spec === undefined || changelog === undefined)
      throw new QueryRefusedError(
        `the topology has no store '${name}' that is kept in the log${among(name, this.app.topology.changelogs.keys())}`,
        { details: { store: name }, remedy: 'Name one of the stores in the message.' },
      );
    const topic = changelog.internal ? internalTopicName(this.app, changelog.topic) : changelog.topic;
    return this.recordsOf(topic).map((records) => {
      const bytes = new MemoryStore(name, spec.layout ?? null);
      for (const { key, value, timestampMs } of records)
        if (key !== null) bytes.restore({ key: byteKey(key), value, timestampMs });
      return spec.open(bytes, { timestampMs: () => -1 }) as S;
    });
  }

  private recordsOf(topic: string): readonly (readonly KeptRecord[])[] {
    const records = this.contents.get(topic);
    if (records !== undefined) return records;
    throw new UnknownTopicError(`there is no topic '${topic}' in the simulation${among(topic, this.contents.keys())}`, {
      details: { topic, topics: [...this.contents.keys()] },
      remedy: 'Name one of the topics in the message.',
    });
  }

  private serdesOf(topic: string): TopicSerdes {
    const serdes = this.serdes.get(topic);
    if (serdes !== undefined) return serdes;
    throw new UnknownTopicError(`the topology does not tell the serdes of topic '${topic}': give them`, {
      details: { topic },
    });
  }
}

/** What there is instead. */
function among(name: string, known: Iterable<string>): string {
  const names = [...known];
  return `; there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ') || 'none'}${suggestion(name, names)}`;
}

/**
 * Records of all partitions, one partition after the other.
 *
 * @throws {DeserializationError} STREAMS_DESERIALIZATION_FAILED that names the record and its side
 */
export function decodeRecords(
  topic: string,
  partitions: readonly (readonly KeptRecord[])[],
  serdes: TopicSerdes,
): readonly SimulatedRecord<unknown, unknown>[] {
  return partitions.flatMap((records, partition) =>
    records.map(({ key, value, offset, timestampMs }) => ({
      key: decode(key, serdes.key, `key of record ${offset} of ${topic}-${partition}`),
      value: decode(value, serdes.value, `value of record ${offset} of ${topic}-${partition}`),
      partition,
      offset,
      timestampMs,
    })),
  );
}

function decode(bytes: Uint8Array | null, serde: Serde<unknown>, what: string): unknown {
  if (bytes === null) return null;
  try {
    return serde.deserialize(bytes);
  } catch (cause) {
    const words = messageOf(cause);
    throw new DeserializationError(`simulate: the serde does not read the ${what}: ${words}`, {
      cause,
      remedy: 'Give the serdes that the topic was written with.',
    });
  }
}
