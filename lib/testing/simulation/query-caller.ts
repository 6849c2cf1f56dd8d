/** Asks the query function for keys of stores, as a user's programs would while the application works. */
import { type TopicPartition, topicPartitionKey } from '../../model/topic-partition.js';
import { defaultPartition } from '../../topology/default-partitioner.js';
import type { Chance } from './chance.js';
import type { Cloud } from './cloud.js';
import type { Witness } from './witness.js';

/** Keys that can be written in a URL (query-key.ts). */
const TEXT_FORMATS = new Set<string | undefined>(['string', 'int', 'long', 'double']);

export interface Question {
  readonly store: string;
  /** As bytes, one character a byte. */
  readonly key: string;
  readonly changelog: TopicPartition;
  readonly askedAtMs: number;
  /** Changelog offset before which a fresh answer has to know everything. */
  readonly committedUpTo: number;
}

/** What came back: the body of a response, or what went wrong instead. */
export type Answer = Question & { readonly answeredAtMs: number } & (
    | { readonly ok: true; readonly body: string }
    | { readonly ok: false; readonly why: string }
  );

export class QueryCaller {
  private readonly cloud: Cloud;
  private readonly witness: Witness;
  private readonly chance: Chance;

  constructor(cloud: Cloud, witness: Witness) {
    this.cloud = cloud;
    this.witness = witness;
    this.chance = cloud.chance('queries');
  }

  /** A key that a store has or had, by chance; null while no store that can be asked has any. */
  async draw(): Promise<Question | null> {
    const { committed, map } = this.witness;
    const stores = map.tasks
      .flatMap(({ changelogs }) => changelogs)
      .filter(({ internal, store }) => internal && this.isAskable(store))
      .filter((changelog) => committed.records(topicPartitionKey(changelog)).length > 0);
    if (stores.length === 0) return null;
    const changelog = this.chance.pick(stores);
    const { key } = this.chance.pick(committed.records(topicPartitionKey(changelog)));
    return key === null || !this.isFound(changelog, key) ? null : this.about(changelog, key);
  }

  /** A question for one key now. */
  async about(changelog: TopicPartition & { readonly store: string }, key: string): Promise<Question> {
    const { store, topic, partition } = changelog;
    const at = { topic, partition };
    const ends = await this.cloud.log.listOffsets([at], 'lastStable');
    const committedUpTo = ends.get(topicPartitionKey(at)) ?? 0;
    return { store, key, changelog: at, askedAtMs: this.cloud.time.nowMs, committedUpTo };
  }

  async ask(question: Question): Promise<Answer> {
    const { store, key } = question;
    const spec = this.cloud.app.topology.stores.get(store);
    const text = String(spec?.keySerde.deserialize(Buffer.from(key, 'latin1')));
    const event = {
      requestContext: { http: { method: 'GET' } },
      rawPath: `/stores/${encodeURIComponent(store)}/${encodeURIComponent(text)}`,
    };
    try {
      const response = (await this.cloud.platform.request('query', event)) as { statusCode: number; body: string };
      const answeredAtMs = this.cloud.time.nowMs;
      if (response.statusCode === 200 || response.statusCode === 404)
        return { ...question, answeredAtMs, ok: true, body: response.body };
      return { ...question, answeredAtMs, ok: false, why: `${response.statusCode} ${response.body}` };
    } catch (thrown) {
      return { ...question, answeredAtMs: this.cloud.time.nowMs, ok: false, why: String(thrown) };
    }
  }

  /** Whether the key leads to the partition: what users' processors keep for themselves may lie anywhere. */
  private isFound({ topic, partition }: TopicPartition, key: string): boolean {
    const partitions = this.witness.map.partitionCounts.get(topic) ?? 1;
    return defaultPartition(Buffer.from(key, 'latin1'), null, partitions) === partition;
  }

  /** Whether keys of a store can be written in a URL, and are all that its entries are found by. */
  private isAskable(store: string): boolean {
    const spec = this.cloud.app.topology.stores.get(store);
    return spec !== undefined && spec.layout === undefined && TEXT_FORMATS.has(spec.keySerde.format);
  }
}
