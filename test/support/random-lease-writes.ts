/**
 * Random writes against the tables, watched for what must never happen (P1 to P3 of lib/leases/records.ts).
 *
 * Writes are made near what stands in the tables, so that many apply; each property counts those that did.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LeaseStore } from '../../lib/leases/lease-store.js';
import type { Incarnation, Lease, LeaseEpoch, MemberId, Plan } from '../../lib/leases/records.js';
import { type TaskId, taskId } from '../../lib/model/task-id.js';

const report = { running: [], positions: [], recordsProcessed: 0 };
const memberIds = fc.constantFrom<MemberId>('member-1', 'member-2');
const taskIds = fc.constantFrom(taskId(0, 0), taskId(0, 1));
const owners: fc.Arbitrary<Incarnation> = fc.record({
  memberId: memberIds,
  incarnation: fc.integer({ min: 1, max: 3 }),
});
/** How far from right a number is. */
const aside = fc.constantFrom(0, 0, 0, 0, -1, 1);

interface MemberWrite {
  readonly type:
    | 'createMember'
    | 'claimMember'
    | 'heartbeat'
    | 'drainMember'
    | 'freeMember'
    | 'declareDead'
    | 'deleteMember'
    | 'announcePlan';
  readonly memberId: MemberId;
  readonly by: number;
  readonly versionBy: number;
}

const memberWrites: fc.Arbitrary<MemberWrite> = fc.record({
  type: fc.constantFrom<MemberWrite['type'][]>(
    'createMember',
    'claimMember',
    'claimMember',
    'heartbeat',
    'drainMember',
    'freeMember',
    'declareDead',
    'deleteMember',
    'announcePlan',
  ),
  memberId: memberIds,
  by: aside,
  versionBy: aside,
});

async function writeMember(store: LeaseStore, write: MemberWrite) {
  const { type, memberId, by, versionBy } = write;
  const member = await store.readMember(memberId);
  const at = { memberId, incarnation: (member?.incarnation ?? 0) + by };
  switch (type) {
    case 'createMember':
      return store.createMember(memberId);
    case 'claimMember':
      return store.claimMember({ memberId, incarnation: at.incarnation + 1, report, tags: {} });
    case 'heartbeat':
      return store.heartbeat({ ...at, report });
    case 'drainMember':
      return store.drainMember(at);
    case 'freeMember':
      return store.freeMember(at);
    case 'declareDead':
      return store.declareDead({ ...at, heartbeatVersion: (member?.heartbeatVersion ?? 0) + versionBy });
    case 'deleteMember':
      return store.deleteMember(at);
    case 'announcePlan':
      return store.announcePlan(memberId, (member?.planNumber ?? 0) + (versionBy === 0 ? 1 : Math.min(versionBy, 0)));
  }
}

const leaseWrites = fc.record({
  type: fc.constantFrom('take', 'take', 'release'),
  taskId: taskIds,
  owner: owners,
  isCurrentOwner: fc.boolean(),
  isAbsentExpected: fc.constantFrom(false, false, false, true),
  by: aside,
});

function plan(number: number, reason: string): Plan {
  return { number, createdAtMs: 0, reason, assignor: 'steady', assignment: {}, dead: [], partitions: {} };
}

export interface RandomWritesTarget {
  readonly name: string;
  /** Opens empty tables; each run opens its own. */
  createStore(): Promise<LeaseStore>;
  /** Sequences tried of each property: a hundred where a write is a matter of microseconds. */
  readonly runs: number;
  /** Where runs are few: a seed under which each write applies. Default: another one each time. */
  readonly seed?: number;
}

/** Declares the properties for one adapter. */
export function describeRandomWrites({ name, createStore, runs, seed }: RandomWritesTarget): void {
  /** Writes that must have applied, of each kind, so that the properties have seen something. */
  const few = Math.floor(runs / 10);
  const many = runs;
  const bounds = { numRuns: runs, ...(seed === undefined ? {} : { seed }) };

  describe(`random writes to the tables: ${name}`, () => {
    it('P1: the incarnation of a slot grows by one with each claim, never otherwise, deletions included', async () => {
      const applied = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(fc.noBias(fc.array(memberWrites, { minLength: 20, maxLength: 80 })), async (writes) => {
          const store = await createStore();
          const highest = new Map<MemberId, number>();
          for (const write of writes) {
            const { memberId, type } = write;
            const was = await store.readMember(memberId);
            const answer = await writeMember(store, write);
            const now = await store.readMember(memberId);

            if (!answer.applied) expect(now).toEqual(was);
            else applied.set(type, (applied.get(type) ?? 0) + 1);
            const isClaim = answer.applied && type === 'claimMember';
            if (isClaim) expect(was?.status).not.toBe('claimed');
            const known = highest.get(memberId) ?? 0;
            if (now !== null) expect(now.incarnation).toBe(isClaim ? known + 1 : known);
            if (now !== null && was !== null) {
              const beats = type === 'heartbeat' && answer.applied ? 1 : 0;
              expect(now.heartbeatVersion).toBe(isClaim ? 0 : was.heartbeatVersion + beats);
              expect(now.planNumber).toBeGreaterThanOrEqual(was.planNumber);
            }
            highest.set(memberId, now?.incarnation ?? known);
          }
        }),
        bounds,
      );

      const types = [
        'createMember',
        'claimMember',
        'heartbeat',
        'drainMember',
        'freeMember',
        'declareDead',
        'deleteMember',
      ];
      for (const type of [...types, 'announcePlan']) expect(applied.get(type) ?? 0, type).toBeGreaterThan(few);
    });

    it('P2: a lease changes as the model says: takes add one to the epoch, releases keep it, all else is refused', async () => {
      const applied = { take: 0, release: 0 };
      await fc.assert(
        fc.asyncProperty(fc.noBias(fc.array(leaseWrites, { minLength: 20, maxLength: 80 })), async (writes) => {
          const store = await createStore();
          const model = new Map<TaskId, { epoch: number; owner: string | null }>();
          for (const write of writes) {
            const read = await store.readLease(write.taskId);
            const was = model.get(write.taskId);
            const epoch = ((read?.epoch ?? 0) + write.by) as LeaseEpoch;
            const seenOwner = write.isCurrentOwner ? (read?.owner ?? null) : write.owner;
            const expected = write.isAbsentExpected || read === null ? null : { epoch, owner: seenOwner };
            const releaser = seenOwner ?? write.owner;

            const isTake = write.type === 'take';
            const { applied: isApplied } = isTake
              ? await store.takeLease({ taskId: write.taskId, owner: write.owner, expected })
              : await store.releaseLease({ taskId: write.taskId, owner: releaser, epoch, offsets: null });

            const isTakeRight =
              expected === null ? was === undefined : was?.epoch === epoch && was.owner === show(seenOwner);
            const isReleaseRight = was !== undefined && was.epoch === epoch && was.owner === show(releaser);
            expect(isApplied).toBe(isTake ? isTakeRight : isReleaseRight);
            if (isApplied) {
              const before = was?.epoch ?? 0;
              model.set(
                write.taskId,
                isTake ? { epoch: before + 1, owner: show(write.owner) } : { epoch: before, owner: null },
              );
              applied[isTake ? 'take' : 'release'] += 1;
            }
            expect(shown(await store.readLease(write.taskId))).toEqual(model.get(write.taskId));
          }
        }),
        bounds,
      );

      expect(Math.min(applied.take, applied.release)).toBeGreaterThan(many);
    });

    it('P3: plan numbers are 1, 2, … without a gap, and a plan that was written never changes', async () => {
      let longest = 0;
      await fc.assert(
        fc.asyncProperty(fc.noBias(fc.array(aside, { minLength: 20, maxLength: 60 })), async (asides) => {
          const store = await createStore();
          const written: Plan[] = [];
          for (const [turn, by] of asides.entries()) {
            const candidate = plan(written.length + 1 + by, `turn ${turn}`);
            const { applied } = await store.writePlan(candidate);
            expect(applied).toBe(by === 0);
            if (applied) written.push(candidate);
            expect(await store.readPlan()).toEqual(written.at(-1) ?? null);
          }
          for (const one of written) expect(await store.readPlanNumber(one.number)).toEqual(one);
          longest = Math.max(longest, written.length);
        }),
        bounds,
      );

      expect(longest).toBeGreaterThan(10);
    });

    it('of any number of concurrent takes of one lease exactly one applies', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(owners, { minLength: 2, maxLength: 8 }), async (rivals) => {
          const store = await createStore();

          const answers = await Promise.all(
            rivals.map((owner) => store.takeLease({ taskId: taskId(0, 0), owner, expected: null })),
          );

          expect(answers.filter((answer) => answer.applied).length).toBe(1);
        }),
        bounds,
      );
    });
  });
}

function show(owner: Incarnation | null): string | null {
  return owner === null ? null : `${owner.memberId}/${owner.incarnation}`;
}

function shown(lease: Lease | null): { epoch: number; owner: string | null } | undefined {
  return lease === null ? undefined : { epoch: lease.epoch, owner: show(lease.owner) };
}
