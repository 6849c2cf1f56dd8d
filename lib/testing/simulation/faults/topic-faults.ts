/** Topics that lose records, or are compacted. */
import { offset } from '../../../model/offset.js';
import { internalTopicName } from '../../../topology/app.js';
import type { Cloud } from '../cloud.js';
import { atCall, named } from './at-call.js';
import { anyCall, moment } from './draw.js';
import type { FaultKind } from './fault.js';
import { inputs } from './seen-inputs.js';

const COMPACTIONS_MOST = 20;
const CALLS_BETWEEN_MOST = 200;
/** Harm ends a scenario's hope for exact results: most scenarios are to do without. */
export const RARE = 0.12;

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
          const read = (await inputs(cloud)).filter(
            // beyond the end: committed in an earlier life of the topic
            ({ start, committed, stable }) => committed !== null && committed > start && committed <= stable,
          );
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
