/** Topics that are deleted and created again: another topic of the same name. */

import type { Log, OffsetsToCommit } from '../../../log/log.js';
import { offset } from '../../../model/offset.js';
import { RecordSetBuilder } from '../../../model/record-set-builder.js';
import { type TopicPartition, topicPartitionKey } from '../../../model/topic-partition.js';
import { internalTopicName } from '../../../topology/app.js';
import type { Cloud } from '../cloud.js';
import type { PortCall } from '../simulated-ports.js';
import { moment } from './draw.js';
import type { FaultKind } from './fault.js';
import { inputs } from './seen-inputs.js';
import { RARE } from './topic-faults.js';

/** Records that a new topic holds beyond the end of the old one, where it is filled. */
const BEYOND = 5;

export const topicRecreated: FaultKind = {
  kind: 'topic-recreated',
  about:
    'an input topic is deleted and created again under its name, at any moment or within a commit, and stays empty or is filled beyond',
  weight: RARE,
  harms: 'what was not read of it is gone; its tasks begin anew with it or stop with STREAMS_LOST_OFFSETS',
  make: (chance, size) => ({
    kind: 'topic-recreated',
    atMs: moment(chance, size),
    topic: chance.below(1_000),
    filled: chance.happens(0.7),
    inCommit: chance.happens(0.5),
  }),
  activate(fault, cloud, fired) {
    const filled = fault.filled === true;
    const again = async (topic: string, sent: OffsetsToCommit = new Map()) => {
      await recreateInput(cloud, { topic, filled, sent });
      fired({ topic, filled });
    };
    if (fault.inCommit === true) return { before: inCommit(Number(fault.atMs), cloud, again) };
    return {
      begin: () =>
        cloud.inBackground(
          cloud.tryUntilCalm(Number(fault.atMs), async () => {
            const written = await writtenSources(cloud);
            const topic = written[Number(fault.topic) % written.length]?.at.topic;
            if (topic !== undefined) await again(topic);
            return topic !== undefined;
          }),
        ),
    };
  },
};

export const changelogRecreated: FaultKind = {
  kind: 'changelog-recreated',
  about: 'a changelog topic is deleted and created again under its name',
  weight: RARE,
  harms: 'the state of its tasks is gone; those that have worked stop with STREAMS_LOST_STATE',
  make: (chance, size) => ({ kind: 'changelog-recreated', atMs: moment(chance, size), topic: chance.below(1_000) }),
  activate: (fault, cloud, fired) => ({
    begin: () =>
      cloud.inBackground(
        cloud.tryUntilCalm(Number(fault.atMs), async () => {
          const written = await writtenChangelogs(cloud);
          const topic = written[Number(fault.topic) % written.length]?.topic;
          if (topic === undefined) return false;
          const known = await thatLeasesName(cloud, topic);
          const mustBeSaid = written.filter((at) => at.topic === topic && known.has(at.partition));
          await recreate(cloud, topic, { kind: 'changelog-recreated', code: 'STREAMS_LOST_STATE', mustBeSaid });
          fired({ topic });
          return true;
        }),
      ),
  }),
};

/** Acts once, when a task is about to commit where it stands in a source topic: what it commits is then of the old one. */
function inCommit(atMs: number, cloud: Cloud, act: (topic: string, sent: OffsetsToCommit) => Promise<void>) {
  let isDone = false;
  return ({ port, method, args }: PortCall): Promise<void> | undefined => {
    if (isDone || cloud.isCalm || cloud.time.nowMs < atMs || port !== 'producer' || method !== 'sendOffsets')
      return undefined;
    const offsets = args[1] as OffsetsToCommit;
    const find = async () => {
      const source = (await writtenSources(cloud)).find(({ key }) => (offsets.get(key)?.nextOffset ?? 0) > 0);
      if (source === undefined || isDone) return;
      isDone = true;
      await act(source.at.topic, offsets);
    };
    return find();
  };
}

async function writtenSources(cloud: Cloud) {
  return (await inputs(cloud)).filter(({ isSource, stable }) => isSource && stable > 0);
}

/** @param how.sent what is being committed at this moment */
async function recreateInput(
  cloud: Cloud,
  { topic, filled, sent }: { readonly topic: string; readonly filled: boolean; readonly sent: OffsetsToCommit },
): Promise<void> {
  const written = (await writtenSources(cloud)).filter(({ at }) => at.topic === topic);
  const known = filled ? await thatLeasesName(cloud, topic) : new Set<number>();
  const mustBeSaid = written
    .filter(({ key, committed }) => Math.max(committed ?? 0, sent.get(key)?.nextOffset ?? 0) > 0)
    .filter(({ at }) => known.has(at.partition))
    .map(({ at }) => at);
  const fills = filled
    ? written.map(
        ({ at, stable }) =>
          () =>
            fill(cloud, at, stable + BEYOND),
      )
    : [];
  await recreate(cloud, topic, { kind: 'topic-recreated', code: 'STREAMS_LOST_OFFSETS', mustBeSaid }, fills);
}

/** In one step: who reads it finds the new topic as it is filled, as after having been away meanwhile. */
async function recreate(
  cloud: Cloud,
  topic: string,
  harm: {
    readonly kind: string;
    readonly code: 'STREAMS_LOST_OFFSETS' | 'STREAMS_LOST_STATE';
    readonly mustBeSaid: readonly TopicPartition[];
  },
  fills: readonly (() => Promise<unknown>)[] = [],
): Promise<void> {
  const { log } = cloud;
  const { name, partitions, config } = (await log.describeTopics([topic])).get(topic) ?? {
    name: topic,
    partitions: 1,
    config: {},
  };
  const all = Array.from({ length: partitions }, (_, partition) => ({ topic, partition }));
  cloud.harms.add({ ...harm, partitions: all, isCertain: true, atMs: cloud.time.nowMs });
  await Promise.all([
    log.deleteTopic(topic),
    log.createTopic({ name, partitions, config }),
    ...fills.map((begin) => begin()),
  ]);
}

/** Fills a partition with what the scenario has for its topic, again and again. */
function fill({ log, scenario, host }: Cloud, at: TopicPartition, count: number): Promise<unknown> {
  const values = scenario.inputs.filter(({ topic }) => topic === at.topic);
  const records = new RecordSetBuilder();
  for (let index = 0; index < count; index += 1) {
    const input = values[index % values.length];
    if (input !== undefined) records.append(input.key, input.value, host.clock.now());
  }
  return log.append(at, records.build());
}

/** Partitions of a topic whose tasks have worked on it: their leases name it as it is. */
async function thatLeasesName({ log, leases }: Cloud, topic: string): Promise<ReadonlySet<number>> {
  const topicId = (await log.describeTopics([topic])).get(topic)?.topicId;
  const naming = (await leases.listLeases()).filter(({ topicIds }) => topicIds?.[topic] === topicId);
  return new Set(naming.map(({ taskId }) => Number(taskId.slice(taskId.indexOf('_') + 1))));
}

/** Partitions of changelogs that hold something committed, in a fixed order. */
async function writtenChangelogs({ app, log }: Cloud): Promise<readonly TopicPartition[]> {
  const changelogs = [...app.topology.changelogs.values()].filter(({ internal }) => internal);
  const described = await log.describeTopics(changelogs.map(({ topic }) => internalTopicName(app, topic)));
  const all = [...described.values()].flatMap(({ name, partitions }) =>
    Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition })),
  );
  const hold = await Promise.all(all.map((at) => holdsARecord(log, at)));
  return all.filter((_, index) => hold[index]);
}

/** Offsets alone do not tell: markers and what was aborted take some too. */
async function holdsARecord(log: Log, at: TopicPartition): Promise<boolean> {
  const key = topicPartitionKey(at);
  const end = (await log.listOffsets([at], 'lastStable')).get(key) ?? 0;
  let fromOffset = (await log.listOffsets([at], 'earliest')).get(key) ?? offset(0);
  while (fromOffset < end) {
    const [read] = await log.fetch([{ ...at, fromOffset }], { isolation: 'readCommitted', maxWaitMs: 0, maxBytes: 1 });
    if (read === undefined || read.records.size > 0) return read !== undefined;
    fromOffset = read.nextOffset;
  }
  return false;
}
