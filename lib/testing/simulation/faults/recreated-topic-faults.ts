/** Topics that are deleted and created again: another topic of the same name. */
import { RecordSetBuilder } from '../../../model/record-set-builder.js';
import type { TopicPartition } from '../../../model/topic-partition.js';
import { internalTopicName } from '../../../topology/app.js';
import type { Cloud } from '../cloud.js';
import { moment } from './draw.js';
import type { FaultKind } from './fault.js';
import { inputs } from './seen-inputs.js';
import { RARE } from './topic-faults.js';

/** Records that a new topic holds beyond the position that its task had in the old one. */
const BEYOND = 5;

export const topicRecreated: FaultKind = {
  kind: 'topic-recreated',
  about:
    'an input topic is deleted and created again under its name, and stays empty or is filled beyond what was read',
  weight: RARE,
  harms: 'what was not read of it is gone; its tasks begin anew with it or stop with STREAMS_LOST_OFFSETS',
  make: (chance, size) => ({
    kind: 'topic-recreated',
    atMs: moment(chance, size),
    topic: chance.below(1_000),
    filled: chance.next() < 0.5,
  }),
  activate: (fault, cloud, fired) => ({
    begin: () =>
      cloud.inBackground(
        cloud.tryUntilCalm(Number(fault.atMs), async () => {
          const written = (await inputs(cloud)).filter(({ isSource, stable }) => isSource && stable > 0);
          const topic = written[Number(fault.topic) % written.length]?.at.topic;
          if (topic === undefined) return false;
          const filled = fault.filled === true;
          const read = written.filter(({ at, committed }) => at.topic === topic && (committed ?? 0) > 0);
          const known = filled ? await thatLeasesName(cloud, topic) : new Set<number>();
          const mustBeSaid = read.map(({ at }) => at).filter(({ partition }) => known.has(partition));
          await recreate(cloud, topic, { kind: 'topic-recreated', code: 'STREAMS_LOST_OFFSETS', mustBeSaid });
          if (filled) for (const { at, committed } of read) await fill(cloud, at, (committed ?? 0) + BEYOND);
          fired({ topic, filled });
          return true;
        }),
      ),
  }),
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

async function recreate(
  cloud: Cloud,
  topic: string,
  harm: {
    readonly kind: string;
    readonly code: 'STREAMS_LOST_OFFSETS' | 'STREAMS_LOST_STATE';
    readonly mustBeSaid: readonly TopicPartition[];
  },
): Promise<void> {
  const { log } = cloud;
  const { name, partitions, config } = (await log.describeTopics([topic])).get(topic) ?? {
    name: topic,
    partitions: 1,
    config: {},
  };
  const all = Array.from({ length: partitions }, (_, partition) => ({ topic, partition }));
  cloud.harms.add({ ...harm, partitions: all, isCertain: true, atMs: cloud.time.nowMs });
  await log.deleteTopic(topic);
  await log.createTopic({ name, partitions, config });
}

/** Fills a partition with what the scenario has for its topic, again and again. */
async function fill({ log, scenario, host }: Cloud, at: TopicPartition, count: number): Promise<void> {
  const values = scenario.inputs.filter(({ topic }) => topic === at.topic);
  const records = new RecordSetBuilder();
  for (let index = 0; index < count; index += 1) {
    const input = values[index % values.length];
    if (input !== undefined) records.append(input.key, input.value, host.clock.now());
  }
  await log.append(at, records.build());
}

/** Partitions of a topic whose tasks have worked on it: their leases name it as it is. */
async function thatLeasesName({ log, leases }: Cloud, topic: string): Promise<ReadonlySet<number>> {
  const topicId = (await log.describeTopics([topic])).get(topic)?.topicId;
  const naming = (await leases.listLeases()).filter(({ topicIds }) => topicIds?.[topic] === topicId);
  return new Set(naming.map(({ taskId }) => Number(taskId.slice(taskId.indexOf('_') + 1))));
}

/** Partitions of changelogs that hold something, in a fixed order. */
async function writtenChangelogs({ app, log }: Cloud): Promise<readonly TopicPartition[]> {
  const changelogs = [...app.topology.changelogs.values()].filter(({ internal }) => internal);
  const described = await log.describeTopics(changelogs.map(({ topic }) => internalTopicName(app, topic)));
  const all = [...described.values()].flatMap(({ name, partitions }) =>
    Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition })),
  );
  const ends = [...(await log.listOffsets(all, 'lastStable')).values()];
  return all.filter((_, index) => (ends[index] ?? 0) > 0);
}
