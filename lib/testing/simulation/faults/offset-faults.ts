/** Committed offsets that expire. */
import { parseTaskId, type TaskId } from '../../../model/task-id.js';
import { parseTopicPartitionKey, type TopicPartitionKey } from '../../../model/topic-partition.js';
import type { Cloud } from '../cloud.js';
import { moment } from './draw.js';
import type { FaultKind } from './fault.js';

/**
 * The offsets of a task that was released in order: its next owner takes them from the lease, and only if that dies before it has
 * committed them is the task lost, and has to say so (docs/decisions/0008).
 */
export const offsetsExpired: FaultKind = {
  kind: 'offsets-expired',
  about: 'committed offsets of a task that sleeps are gone',
  harms: 'nothing, unless the next owner dies before its first commit: then STREAMS_LOST_OFFSETS',
  make: (chance, size) => ({
    kind: 'offsets-expired',
    atMs: moment(chance, size),
    task: chance.below(1_000),
    all: chance.happens(0.5),
  }),
  activate: (fault, cloud, fired) => ({
    begin: () =>
      cloud.inBackground(
        cloud.tryUntilCalm(Number(fault.atMs), async () => {
          const released = (await cloud.leases.listLeases()).filter(
            ({ owner, offsets }) => owner === null && offsets !== null,
          );
          const chosen =
            fault.all === true ? released : released.slice(Number(fault.task) % released.length).slice(0, 1);
          const tasks = chosen.map(({ taskId, offsets }) => ({ taskId, keys: keysOf(offsets ?? {}) }));
          const gone = await expire(cloud, tasks);
          if (gone.length > 0) fired({ partitions: gone });
          return gone.length > 0;
        }),
      ),
  }),
};

function keysOf(offsets: object): readonly TopicPartitionKey[] {
  return Object.keys(offsets) as TopicPartitionKey[];
}

async function expire(
  cloud: Cloud,
  tasks: readonly { readonly taskId: TaskId; readonly keys: readonly TopicPartitionKey[] }[],
): Promise<readonly TopicPartitionKey[]> {
  const of = tasks.flatMap(({ taskId, keys }) =>
    keys.map(parseTopicPartitionKey).filter(({ partition }) => partition === parseTaskId(taskId).partition),
  );
  const gone = await cloud.log.deleteOffsets(cloud.app.applicationId, of);
  const partitions = gone.map(parseTopicPartitionKey);
  if (gone.length > 0)
    cloud.harms.add({ kind: 'offsets-expired', partitions, code: 'STREAMS_LOST_OFFSETS', isCertain: false });
  return gone;
}
