/**
 * Committed offsets stand at the end of every input when all is processed, and never go backward on the way: neither by what a
 * transaction commits nor by what is read.
 */

import { topicPartitionKey } from '../../../model/topic-partition.js';
import { soundInputs } from '../settled.js';
import type { Effect } from '../simulated-ports.js';
import type { CheckedRun, Checker } from './checker.js';

export const offsetsEqualReference: Checker = {
  name: 'offsets-equal-reference',
  watch(run) {
    const { cloud, witness, wrong } = run;
    const { transactions } = witness;
    transactions.listen(({ process, offsets }) => {
      for (const [key, { nextOffset }] of offsets) {
        const before = transactions.committedOffsets.get(key)?.nextOffset ?? 0;
        if (nextOffset >= before || cloud.harms.partitions.has(key)) continue;
        wrong(`${process} sets the committed offset of ${key} back from ${before} to ${nextOffset}`);
      }
    });
    const committed = ({ process, ok }: Effect) => {
      if (ok) wrong(`${process.name} commits offsets outside a transaction, where no fence protects them`);
    };
    cloud.listen(committed, ['commitOffsets']);
    return { ended: () => checkEnds(run) };
  },
};

async function checkEnds({ cloud, witness, wrong }: CheckedRun): Promise<void> {
  const { log, app, harms } = cloud;
  const inputs = await soundInputs(cloud, witness.map);
  const ends = await log.listOffsets(inputs, 'highWatermark');
  const committed = await log.committedOffsets(app.applicationId, inputs);
  // Those of a task that sleeps expire, and stand in its lease.
  const leases = (await cloud.leases.listLeases()).filter(({ owner }) => owner === null);
  const released = new Map(
    leases.flatMap(({ offsets }) => Object.entries(offsets ?? {}).map(([key, { nextOffset }]) => [key, nextOffset])),
  );
  for (const input of inputs) {
    const key = topicPartitionKey(input);
    if (harms.partitions.has(key) && !committed.has(key)) continue; // expired: the lease has it, or the task never ran again
    const end = ends.get(key) ?? 0;
    const next = committed.get(key)?.nextOffset ?? released.get(key) ?? 0;
    if (next !== end) wrong(`${key} is committed up to ${next}, and ends at ${end}`);
  }
}
