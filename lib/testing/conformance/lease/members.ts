import type { LeaseStore } from '../../../leases/lease-store.js';
import type { Incarnation, MemberReport } from '../../../leases/records.js';
import { offset } from '../../../model/offset.js';
import { taskId } from '../../../model/task-id.js';
import type { TestRunner } from '../test-runner.js';

const M1 = 'member-1';
const at = (incarnation: number): Incarnation => ({ memberId: M1, incarnation });
const empty: MemberReport = { running: [], positions: [], recordsProcessed: 0 };
const busy: MemberReport = {
  running: [taskId(0, 3)],
  positions: [{ taskId: taskId(0, 3), store: 'counts', nextOffset: offset(5), endOffset: offset(7) }],
  recordsProcessed: 12,
  planRead: 3,
  idleForMs: 250,
};

const claim = (store: LeaseStore, incarnation: number) =>
  store.claimMember({ ...at(incarnation), report: empty, tags: { zone: 'a' } });

async function claimed(open: () => Promise<LeaseStore>): Promise<LeaseStore> {
  const store = await open();
  await store.createMember(M1);
  await claim(store, 1);
  return store;
}

/** M1 to M6: the life of a slot. */
export function membersConformance(open: () => Promise<LeaseStore>, { describe, it, expect }: TestRunner): void {
  describe('members', () => {
    it('a slot is created once, free and at incarnation 0', async () => {
      const store = await open();

      const first = await store.createMember(M1);
      const second = await store.createMember(M1);

      const slot = { ...at(0), status: 'free', heartbeatVersion: 0, planNumber: 0, report: empty, tags: {} };
      expect(first).toEqual({ applied: true, item: slot });
      expect(second).toEqual({ applied: false, item: slot });
    });

    it('P1: a slot of which nothing is left begins after the incarnation that is still named', async () => {
      const store = await open();

      const created = await store.createMember(M1, 7);

      expect([created.applied, created.item?.incarnation, created.item?.status]).toEqual([true, 7, 'free']);
      expect((await claim(store, 1)).applied).toBe(false);
      expect((await claim(store, 8)).applied).toBe(true);
    });

    it('slots are listed by number', async () => {
      const store = await open();
      for (const id of ['member-10', 'member-2', 'member-1'] as const) await store.createMember(id);

      const members = await store.listMembers();

      expect(members.map((member) => member.memberId)).toEqual(['member-1', 'member-2', 'member-10']);
      expect(await store.readMember('member-3')).toBe(null);
    });

    it('a claim applies to the next incarnation only and starts with what the claimer reports', async () => {
      const store = await open();
      await store.createMember(M1);

      const tooHigh = await claim(store, 2);
      const tooLow = await claim(store, 0);
      const right = await store.claimMember({ ...at(1), report: busy, tags: { zone: 'a' } });

      expect([tooHigh.applied, tooLow.applied]).toEqual([false, false]);
      expect(right).toEqual({
        applied: true,
        item: { ...at(1), status: 'claimed', heartbeatVersion: 0, planNumber: 0, report: busy, tags: { zone: 'a' } },
      });
      expect(await store.readMember(M1)).toEqual(right.item);
    });

    it('of two concurrent claims one applies, and the loser sees the winner', async () => {
      const store = await open();
      await store.createMember(M1);

      const claims = await Promise.all([
        store.claimMember({ ...at(1), report: empty, tags: { by: 'a' } }),
        store.claimMember({ ...at(1), report: empty, tags: { by: 'b' } }),
      ]);

      const winner = claims.find((one) => one.applied);
      const loser = claims.find((one) => !one.applied);
      expect([winner?.applied, loser?.applied]).toEqual([true, false]);
      expect(loser?.item?.tags).toEqual(winner?.item?.tags);
    });

    it('a claimed slot is claimed again only after it drains, ends or is declared dead', async () => {
      const store = await claimed(open);

      const whileClaimed = await claim(store, 2);
      await store.drainMember(at(1));
      const afterDrain = await claim(store, 2);
      await store.freeMember(at(2));
      const afterEnd = await claim(store, 3);
      await store.declareDead({ ...at(3), heartbeatVersion: 0 });
      const afterDeath = await claim(store, 4);

      expect([whileClaimed, afterDrain, afterEnd, afterDeath].map((one) => one.applied)).toEqual([
        false,
        true,
        true,
        true,
      ]);
    });

    it('a slot that does not exist cannot be claimed', async () => {
      const store = await open();

      expect(await claim(store, 1)).toEqual({ applied: false, item: null });
    });

    it('a heartbeat renews the current incarnation, draining too, and no other', async () => {
      const store = await claimed(open);

      const first = await store.heartbeat({ ...at(1), report: busy });
      await store.drainMember(at(1));
      const draining = await store.heartbeat({ ...at(1), report: empty });
      await claim(store, 2);
      const superseded = await store.heartbeat({ ...at(1), report: busy });

      expect([first.applied, first.item?.heartbeatVersion, first.item?.report]).toEqual([true, 1, busy]);
      expect([draining.applied, draining.item?.heartbeatVersion, draining.item?.status]).toEqual([true, 2, 'draining']);
      expect([superseded.applied, superseded.item?.incarnation, superseded.item?.heartbeatVersion]).toEqual([
        false,
        2,
        0,
      ]);
    });

    it('a heartbeat is refused after the end and after the death of the incarnation', async () => {
      const store = await claimed(open);

      await store.freeMember(at(1));
      const afterEnd = await store.heartbeat({ ...at(1), report: empty });
      await claim(store, 2);
      await store.declareDead({ ...at(2), heartbeatVersion: 0 });
      const afterDeath = await store.heartbeat({ ...at(2), report: empty });

      expect([afterEnd.applied, afterEnd.item?.status]).toEqual([false, 'free']);
      expect([afterDeath.applied, afterDeath.item?.status]).toEqual([false, 'dead']);
    });

    it('only the current incarnation drains and ends, and drains once', async () => {
      const store = await claimed(open);

      const strangerDrains = await store.drainMember(at(2));
      const drains = await store.drainMember(at(1));
      const again = await store.drainMember(at(1));
      const strangerEnds = await store.freeMember(at(2));
      const ends = await store.freeMember(at(1));
      const endsAgain = await store.freeMember(at(1));

      const applied = [strangerDrains, drains, again, strangerEnds, ends, endsAgain].map((one) => one.applied);
      expect(applied).toEqual([false, true, false, false, true, false]);
      expect(ends.item?.status).toBe('free');
    });

    it('a death is refused if the incarnation has renewed since it was seen stand still', async () => {
      const store = await claimed(open);
      await store.heartbeat({ ...at(1), report: empty });

      const stale = await store.declareDead({ ...at(1), heartbeatVersion: 0 });
      const other = await store.declareDead({ ...at(2), heartbeatVersion: 1 });
      const right = await store.declareDead({ ...at(1), heartbeatVersion: 1 });
      const again = await store.declareDead({ ...at(1), heartbeatVersion: 1 });

      expect([stale, other, right, again].map((one) => one.applied)).toEqual([false, false, true, false]);
      expect(right.item?.status).toBe('dead');
    });

    it('an announced plan number only grows and comes back with the next heartbeat', async () => {
      const store = await claimed(open);

      const second = await store.announcePlan(M1, 2);
      const equal = await store.announcePlan(M1, 2);
      const lower = await store.announcePlan(M1, 1);
      const missing = await store.announcePlan('member-2', 2);
      const beat = await store.heartbeat({ ...at(1), report: empty });

      expect([second, equal, lower].map((one) => one.applied)).toEqual([true, false, false]);
      expect(missing).toEqual({ applied: false, item: null });
      expect(beat.item?.planNumber).toBe(2);
    });

    it('a slot is deleted only while nobody runs it', async () => {
      const store = await claimed(open);

      const running = await store.deleteMember(at(1));
      await store.freeMember(at(1));
      const otherIncarnation = await store.deleteMember(at(0));
      const free = await store.deleteMember(at(1));
      const gone = await store.deleteMember(at(1));

      expect([running, otherIncarnation, free].map((one) => one.applied)).toEqual([false, false, true]);
      expect(gone).toEqual({ applied: false, item: null });
      expect([await store.readMember(M1), await store.listMembers()]).toEqual([null, []]);
    });

    it('a dead slot can be deleted', async () => {
      const store = await claimed(open);
      await store.declareDead({ ...at(1), heartbeatVersion: 0 });

      expect((await store.deleteMember(at(1))).applied).toBe(true);
    });

    it('P1: incarnation numbers go on when a deleted slot is created again', async () => {
      const store = await claimed(open);
      await store.freeMember(at(1));
      await store.deleteMember(at(1));

      const created = await store.createMember(M1, 0);
      const oldNumber = await claim(store, 1);
      const nextNumber = await claim(store, 2);

      expect([created.applied, created.item?.incarnation, created.item?.status]).toEqual([true, 1, 'free']);
      expect([oldNumber.applied, nextNumber.applied]).toEqual([false, true]);
    });

    it('the mark of a drained slot lasts through claim, heartbeats and end, until it is taken away', async () => {
      const store = await open();
      const drain = { wantedBefore: 3, warmUntilMs: 1_750_000_000_000.5 };
      await store.createMember(M1);

      const marked = await store.markDrain(M1, drain);
      const written = [
        await claim(store, 1),
        await store.heartbeat({ ...at(1), report: busy }),
        await store.freeMember(at(1)),
      ];
      const again = await store.markDrain(M1, { ...drain, warmUntilMs: 0 });
      const unmarked = await store.markDrain(M1, null);

      expect([marked.applied, marked.item?.status, marked.item?.drain]).toEqual([true, 'free', drain]);
      expect(written.map(({ item }) => item?.drain)).toEqual([drain, drain, drain]);
      expect(again.item?.drain).toEqual({ wantedBefore: 3, warmUntilMs: 0 });
      expect(unmarked.applied && 'drain' in unmarked.item).toBe(false);
      expect(await store.readMember(M1)).toEqual(unmarked.item);
    });

    it('a slot that there is not is not marked, and one that is deleted loses its mark', async () => {
      const store = await open();
      const drain = { wantedBefore: 1, warmUntilMs: 0 };

      const absent = await store.markDrain(M1, drain);
      await store.createMember(M1);
      await store.markDrain(M1, drain);
      const deleted = await store.deleteMember(at(0));
      const retired = await store.markDrain(M1, drain);
      const created = await store.createMember(M1);

      expect([absent, retired]).toEqual([
        { applied: false, item: null },
        { applied: false, item: null },
      ]);
      expect(deleted.item?.drain).toEqual(drain);
      expect(created.applied && 'drain' in created.item).toBe(false);
    });
  });
}
