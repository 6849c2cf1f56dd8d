import type { LeaseStore } from '../../../leases/lease-store.js';
import type { Incarnation, LeaseEpoch, RecordedOffsets } from '../../../leases/records.js';
import { offset } from '../../../model/offset.js';
import { taskId } from '../../../model/task-id.js';
import { topicPartitionKey } from '../../../model/topic-partition.js';
import type { TestRunner } from '../test-runner.js';

const T = taskId(0, 3);
const A: Incarnation = { memberId: 'member-1', incarnation: 1 };
const B: Incarnation = { memberId: 'member-2', incarnation: 4 };
const epoch = (value: number) => value as LeaseEpoch;
const offsets: RecordedOffsets = {
  [topicPartitionKey({ topic: 'orders', partition: 3 })]: { nextOffset: offset(17), metadata: 'AgAA' },
};

/** E1 to E3: the life of a lease. */
export function leasesConformance(open: () => Promise<LeaseStore>, { describe, it, expect }: TestRunner): void {
  describe('leases', () => {
    it('the first take creates the lease at epoch 1, and only where there is none', async () => {
      const store = await open();

      const first = await store.takeLease({ taskId: T, owner: A, expected: null });
      const second = await store.takeLease({ taskId: T, owner: B, expected: null });

      const lease = { taskId: T, epoch: 1, owner: A, offsets: null };
      expect(first).toEqual({ applied: true, item: lease });
      expect(second).toEqual({ applied: false, item: lease });
      expect(await store.readLease(T)).toEqual(lease);
    });

    it('a take that expects an item is refused where there is none', async () => {
      const store = await open();

      const take = await store.takeLease({ taskId: T, owner: A, expected: { epoch: epoch(1), owner: A } });

      expect(take).toEqual({ applied: false, item: null });
      expect([await store.readLease(T), await store.listLeases()]).toEqual([null, []]);
    });

    it('a take applies only to the epoch and the owner that were read, and adds one to the epoch', async () => {
      const store = await open();
      await store.takeLease({ taskId: T, owner: A, expected: null });

      const otherEpoch = await store.takeLease({ taskId: T, owner: B, expected: { epoch: epoch(2), owner: A } });
      const otherOwner = await store.takeLease({ taskId: T, owner: B, expected: { epoch: epoch(1), owner: B } });
      const otherIncarnation = await store.takeLease({
        taskId: T,
        owner: B,
        expected: { epoch: epoch(1), owner: { ...A, incarnation: 2 } },
      });
      const thoughtFree = await store.takeLease({ taskId: T, owner: B, expected: { epoch: epoch(1), owner: null } });
      const right = await store.takeLease({ taskId: T, owner: B, expected: { epoch: epoch(1), owner: A } });

      const refused = [otherEpoch, otherOwner, otherIncarnation, thoughtFree];
      expect(refused.map((one) => [one.applied, one.item?.owner])).toEqual(refused.map(() => [false, A]));
      expect(right).toEqual({ applied: true, item: { taskId: T, epoch: 2, owner: B, offsets: null } });
    });

    it('of two concurrent takes of the same item one applies, and the loser sees the winner', async () => {
      const store = await open();
      await store.takeLease({ taskId: T, owner: A, expected: null });
      const expected = { epoch: epoch(1), owner: A };

      const takes = await Promise.all([
        store.takeLease({ taskId: T, owner: { ...A, incarnation: 2 }, expected }),
        store.takeLease({ taskId: T, owner: B, expected }),
      ]);

      const winner = takes.find((one) => one.applied);
      const loser = takes.find((one) => !one.applied);
      expect([winner?.item?.epoch, loser?.item?.epoch]).toEqual([2, 2]);
      expect(loser?.item?.owner).toEqual(winner?.item?.owner);
    });

    it('of two concurrent first takes one applies', async () => {
      const store = await open();

      const takes = await Promise.all([A, B].map((owner) => store.takeLease({ taskId: T, owner, expected: null })));

      expect(takes.map((one) => one.applied).sort()).toEqual([false, true]);
    });

    it('an owner that takes its own lease again gets the next epoch', async () => {
      const store = await open();
      await store.takeLease({ taskId: T, owner: A, expected: null });

      const again = await store.takeLease({ taskId: T, owner: A, expected: { epoch: epoch(1), owner: A } });

      expect([again.applied, again.item?.epoch]).toEqual([true, 2]);
    });

    it('a release needs owner and epoch, keeps the epoch and records the offsets', async () => {
      const store = await open();
      await store.takeLease({ taskId: T, owner: A, expected: null });

      const stranger = await store.releaseLease({ taskId: T, owner: B, epoch: epoch(1), offsets });
      const oldEpoch = await store.releaseLease({ taskId: T, owner: A, epoch: epoch(0), offsets });
      const right = await store.releaseLease({ taskId: T, owner: A, epoch: epoch(1), offsets });
      const again = await store.releaseLease({ taskId: T, owner: A, epoch: epoch(1), offsets });
      const missing = await store.releaseLease({ taskId: taskId(0, 4), owner: A, epoch: epoch(1), offsets });

      expect([stranger, oldEpoch, right, again].map((one) => one.applied)).toEqual([false, false, true, false]);
      expect(right.item).toEqual({ taskId: T, epoch: 1, owner: null, offsets });
      expect(missing).toEqual({ applied: false, item: null });
    });

    it('E2: after somebody else took the lease the release of the one before is refused', async () => {
      const store = await open();
      await store.takeLease({ taskId: T, owner: A, expected: null });
      await store.takeLease({ taskId: T, owner: B, expected: { epoch: epoch(1), owner: A } });

      const late = await store.releaseLease({ taskId: T, owner: A, epoch: epoch(1), offsets });

      expect(late).toEqual({ applied: false, item: { taskId: T, epoch: 2, owner: B, offsets: null } });
    });

    it('E3: recorded offsets stay through takes and through a release that has none', async () => {
      const store = await open();
      await store.takeLease({ taskId: T, owner: A, expected: null });
      await store.releaseLease({ taskId: T, owner: A, epoch: epoch(1), offsets });

      const taken = await store.takeLease({ taskId: T, owner: B, expected: { epoch: epoch(1), owner: null } });
      const released = await store.releaseLease({ taskId: T, owner: B, epoch: epoch(2), offsets: null });

      expect([taken.item?.epoch, taken.item?.offsets]).toEqual([2, offsets]);
      expect(released.item).toEqual({ taskId: T, epoch: 2, owner: null, offsets });
    });

    it('E5: recorded punctuations, and the time of the release, last until the next take, and through no release without', async () => {
      const store = await open();
      const punctuations = [
        { intervalMs: 60_000, dueMs: 1_700_000_000_123 },
        { intervalMs: 1_500, dueMs: 0 },
      ];
      await store.takeLease({ taskId: T, owner: A, expected: null });

      const releasedAtMs = 1_750_000_000_123;
      const releasing = { taskId: T, owner: A, epoch: epoch(1), offsets, punctuations, releasedAtMs };
      const released = await store.releaseLease(releasing);
      const read = await store.readLease(T);
      const taken = await store.takeLease({ taskId: T, owner: B, expected: { epoch: epoch(1), owner: null } });
      const again = await store.releaseLease({ taskId: T, owner: B, epoch: epoch(2), offsets: null });

      expect(released.item).toEqual({ taskId: T, epoch: 1, owner: null, offsets, punctuations, releasedAtMs });
      expect(read).toEqual(released.item);
      expect(taken.item).toEqual({ taskId: T, epoch: 2, owner: B, offsets });
      expect(again.item).toEqual({ taskId: T, epoch: 2, owner: null, offsets });
    });

    it('E6: recorded topic ids stay through takes and releases, until others are recorded', async () => {
      const store = await open();
      const topicIds = { orders: 'AAAA', 'app-totals-changelog': 'BBBB' };
      await store.takeLease({ taskId: T, owner: A, expected: null });

      const recorded = await store.recordTopics({ taskId: T, owner: A, epoch: epoch(1), topicIds });
      const released = await store.releaseLease({ taskId: T, owner: A, epoch: epoch(1), offsets });
      const read = await store.readLease(T);
      const taken = await store.takeLease({ taskId: T, owner: B, expected: { epoch: epoch(1), owner: null } });
      const replaced = await store.recordTopics({ taskId: T, owner: B, epoch: epoch(2), topicIds: { orders: 'CCCC' } });

      expect(recorded).toEqual({ applied: true, item: { taskId: T, epoch: 1, owner: A, offsets: null, topicIds } });
      expect(released.item).toEqual({ taskId: T, epoch: 1, owner: null, offsets, topicIds });
      expect(read).toEqual(released.item);
      expect(taken.item).toEqual({ taskId: T, epoch: 2, owner: B, offsets, topicIds });
      expect(replaced.item).toEqual({ taskId: T, epoch: 2, owner: B, offsets, topicIds: { orders: 'CCCC' } });
      expect(await store.listLeases()).toEqual([replaced.item]);
    });

    it('E6: topic ids are recorded only by the owner of the current epoch', async () => {
      const store = await open();
      const topicIds = { orders: 'AAAA' };
      const missing = await store.recordTopics({ taskId: T, owner: A, epoch: epoch(1), topicIds });
      await store.takeLease({ taskId: T, owner: A, expected: null });
      await store.takeLease({ taskId: T, owner: B, expected: { epoch: epoch(1), owner: A } });

      const late = await store.recordTopics({ taskId: T, owner: A, epoch: epoch(1), topicIds });
      const oldEpoch = await store.recordTopics({ taskId: T, owner: B, epoch: epoch(1), topicIds });
      await store.releaseLease({ taskId: T, owner: B, epoch: epoch(2), offsets: null });
      const released = await store.recordTopics({ taskId: T, owner: B, epoch: epoch(2), topicIds });

      expect([missing, late, oldEpoch, released].map(({ applied }) => applied)).toEqual(Array(4).fill(false));
      expect(await store.readLease(T)).toEqual({ taskId: T, epoch: 2, owner: null, offsets: null });
    });

    it('leases are listed in order of their task ids, as numbers', async () => {
      const store = await open();
      for (const id of [taskId(1, 0), taskId(0, 10), taskId(0, 9)]) {
        await store.takeLease({ taskId: id, owner: A, expected: null });
      }

      const leases = await store.listLeases();

      expect(leases.map((lease) => lease.taskId)).toEqual(['0_9', '0_10', '1_0']);
    });
  });
}
