/** Topics that lose records, are compacted, or are another topic of the same name. */
import type { Offset } from '../../../model/offset.js';
import { offset } from '../../../model/offset.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../../../model/topic-partition.js';
import { internalTopicName, topicName } from '../../../topology/app.js';
import type { Cloud } from '../cloud.js';
import { atCall, named } from './at-call.js';
import { anyCall, moment } from './draw.js';
import type { FaultKind } from './fault.js';

const COMPACTIONS_MOST = 20;
const CALLS_BETWEEN_MOST = 200;
/** Harm ends a scenario's hope for exact results: most scenarios are to do without. */
const RARE = 0.12;

/**
 * Retention takes what was read. Changelogs are left alone: Kafka refuses to delete records of a topic that is only compacted
 * (POLICY_VIOLATION), and one that serves as input and changelog keeps its records by the rules of the application.
 */
export const topicTruncated: FaultKind = {
  kind: 'topic-truncated',
  about: 'the records of an input or repartition partition are deleted up to what is committed',
  make: (chance, size) => ({ kind: 'topic-truncated', atMs: moment(chance, size), partition: chance.below(1_000) }),
  activate: (fault, cloud, fired) => ({
    begin: () =>
      cloud.inBackground(
        cloud.tryUntilCalm(Number(fault.atMs), async () => {
          const read = (await inputs(cloud)).filter(({ start, committed }) => (committed ?? 0) > start);
          const chosen = read[Number(fault.partition) % read.length];
          if (chosen === undefined) return false;
          await cloud.log.deleteRecords(new Map([[chosen.key, offset(chosen.committed ?? 0)]]));
          fired({ ...chosen.at, before: chosen.committed });
          return true;
        }),
      ),
  }),
};

export const inputLost: FaultKind = {
  kind: 'input-lost',
  about: 'the records of an input are deleted beyond what is committed',
  weight: RARE,
  harms: 'the task of the partition, unless it had fetched them: it stops with STREAMS_LOST_OFFSETS',
  make: (chance, size) => ({ kind: 'input-lost', atMs: moment(chance, size), partition: chance.below(1_000) }),
  activate: (fault, cloud, fired) => ({
    begin: () =>
      cloud.inBackground(
        cloud.tryUntilCalm(Number(fault.atMs), async () => {
          const behind = (await inputs(cloud)).filter(
            ({ committed, stable, isSource }) => isSource && committed !== null && committed < stable,
          );
          const chosen = behind[Number(fault.partition) % behind.length];
          if (chosen === undefined) return false;
          const partitions = [chosen.at];
          cloud.harms.add({ kind: 'input-lost', partitions, code: 'STREAMS_LOST_OFFSETS', isCertain: false });
          await cloud.log.deleteRecords(new Map([[chosen.key, chosen.stable]]));
          fired({ ...chosen.at, committed: chosen.committed, before: chosen.stable });
          return true;
        }),
      ),
  }),
};

export const topicRecreated: FaultKind = {
  kind: 'topic-recreated',
  about: 'an input topic is deleted and created again under its name',
  weight: RARE,
  harms: 'what was not read of it is gone; its tasks begin anew with it or stop with STREAMS_LOST_OFFSETS',
  make: (chance, size) => ({ kind: 'topic-recreated', atMs: moment(chance, size), topic: chance.below(1_000) }),
  activate: (fault, cloud, fired) => ({
    begin: () =>
      cloud.inBackground(
        cloud.tryUntilCalm(Number(fault.atMs), async () => {
          const written = (await inputs(cloud)).filter(({ isSource, stable }) => isSource && stable > 0);
          const topic = written[Number(fault.topic) % written.length]?.at.topic;
          if (topic === undefined) return false;
          await recreate(cloud, topic, 'topic-recreated');
          fired({ topic });
          return true;
        }),
      ),
  }),
};

export const compaction: FaultKind = {
  kind: 'compaction',
  about: 'the log compacts all changelogs, again and again, between two calls',
  make: (chance) => ({
    kind: 'compaction',
    call: anyCall(chance),
    times: chance.between(1, COMPACTIONS_MOST),
    between: chance.between(1, CALLS_BETWEEN_MOST),
  }),
  activate(fault, cloud, fired) {
    let calls = 0;
    let left = Number(fault.times);
    const begins = atCall(
      Number(fault.call),
      () => true,
      (call) => {
        fired(named(call));
        return true;
      },
    );
    let hasBegun = false;
    return {
      before(call) {
        hasBegun ||= begins(call) === true;
        if (!hasBegun || left === 0) return undefined;
        calls += 1;
        if (calls % Number(fault.between) !== 0) return undefined;
        left -= 1;
        return compactAll(cloud);
      },
    };
  },
};

async function compactAll(cloud: Cloud): Promise<void> {
  const { app, log } = cloud;
  const changelogs = [...app.topology.changelogs.values()].filter(({ internal }) => internal);
  const described = await log.describeTopics(changelogs.map(({ topic }) => internalTopicName(app, topic)));
  for (const name of described.keys()) await log.compact(name);
}

async function recreate(cloud: Cloud, topic: string, kind: string): Promise<void> {
  const { log } = cloud;
  const { name, partitions, config } = (await log.describeTopics([topic])).get(topic) ?? {
    name: topic,
    partitions: 1,
    config: {},
  };
  const all = Array.from({ length: partitions }, (_, partition) => ({ topic, partition }));
  cloud.harms.add({ kind, partitions: all, code: 'STREAMS_LOST_OFFSETS', isCertain: true });
  await log.deleteTopic(topic);
  await log.createTopic({ name, partitions, config });
}

interface SeenInput {
  readonly at: TopicPartition;
  readonly key: TopicPartitionKey;
  readonly isSource: boolean;
  readonly start: Offset;
  readonly stable: Offset;
  readonly committed: Offset | null;
}

/** All inputs of the application that do not serve as changelogs, as they stand now, in a fixed order. */
async function inputs({ app, log }: Cloud): Promise<readonly SeenInput[]> {
  const { topology, applicationId } = app;
  const changelogs = new Set([...topology.changelogs.values()].map(({ topic }) => topic));
  const names = topology.subTopologies
    .flatMap(({ sourceTopics }) => sourceTopics)
    .filter((name) => !changelogs.has(name));
  const internal = new Set([...topology.repartitionTopics.keys()].map((name) => internalTopicName(app, name)));
  const described = [...(await log.describeTopics(names.map((name) => topicName(app, name)))).values()];
  const all = described.flatMap(({ name, partitions }) =>
    Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition })),
  );
  const [starts, stables, committed] = await Promise.all([
    log.listOffsets(all, 'earliest'),
    log.listOffsets(all, 'lastStable'),
    log.committedOffsets(applicationId, all),
  ]);
  return all.map((at) => {
    const key = topicPartitionKey(at);
    return {
      at,
      key,
      isSource: !internal.has(at.topic),
      start: starts.get(key) ?? offset(0),
      stable: stables.get(key) ?? offset(0),
      committed: committed.get(key)?.nextOffset ?? null,
    };
  });
}
