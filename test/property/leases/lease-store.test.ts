/** Random writes against the tables, watched for what must never happen (P1 to P3 of lib/leases/records.ts). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LeaseStore } from '../../../lib/leases/lease-store.js';
import { createMemoryLeaseStore } from '../../../lib/leases/memory/memory-lease-store.js';
import type { Incarnation, LeaseEpoch, MemberId, Plan } from '../../../lib/leases/records.js';
import { taskId } from '../../../lib/model/task-id.js';

const report = { running: [], positions: [], recordsProcessed: 0 };
const plan = (number: number, reason: string): Plan => ({
  number,
  createdAtMs: 0,
  reason,
  assignor: 'steady',
  assignment: {},
  dead: [],
  partitions: {},
});

const memberIds = fc.constantFrom<MemberId>('member-1', 'member-2');
const incarnations: fc.Arbitrary<Incarnation> = fc.record({
  memberId: memberIds,
  incarnation: fc.integer({ min: 0, max: 4 }),
});
const versions = fc.integer({ min: 0, max: 3 });
const taskIds = fc.constantFrom(taskId(0, 0), taskId(0, 1));
const owners = fc.option(incarnations, { nil: null });
const epochs = fc.integer({ min: 0, max: 4 }).map((value) => value as LeaseEpoch);

type Write = (store: LeaseStore) => Promise<{ readonly applied: boolean }>;
const memberWrites: fc.Arbitrary<Write> = fc.oneof(
  memberIds.map((id) => (store: LeaseStore) => store.createMember(id)),
  incarnations.map((at) => (store: LeaseStore) => store.claimMember({ ...at, report, tags: {} })),
  incarnations.map((at) => (store: LeaseStore) => store.heartbeat({ ...at, report })),
  incarnations.map((at) => (store: LeaseStore) => store.drainMember(at)),
  incarnations.map((at) => (store: LeaseStore) => store.freeMember(at)),
  incarnations.map((at) => (store: LeaseStore) => store.deleteMember(at)),
  fc.tuple(incarnations, versions).map(
    ([at, heartbeatVersion]) =>
      (store: LeaseStore) =>
        store.declareDead({ ...at, heartbeatVersion }),
  ),
  fc.tuple(memberIds, versions).map(
    ([id, number]) =>
      (store: LeaseStore) =>
        store.announcePlan(id, number),
  ),
);
const takes = fc.tuple(taskIds, incarnations, fc.option(fc.record({ epoch: epochs, owner: owners }), { nil: null }));
const releases = fc.tuple(taskIds, incarnations, epochs);

describe('random writes to the tables', () => {
  it('P1: the incarnation of a slot grows by one with each claim, never otherwise, deletions included', async () => {
    let claims = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(memberWrites, { maxLength: 80 }), async (writes) => {
        const store = createMemoryLeaseStore();
        const highest = new Map<MemberId, number>();
        for (const write of writes) {
          const before = new Map((await store.listMembers()).map((one) => [one.memberId, one]));
          const { applied } = await write(store);
          for (const after of await store.listMembers()) {
            const was = before.get(after.memberId);
            const known = highest.get(after.memberId) ?? 0;
            const isClaim = was !== undefined && after.incarnation !== was.incarnation;
            expect(after.incarnation).toBe(isClaim ? known + 1 : known);
            if (isClaim) {
              claims += 1;
              expect([applied, after.status, was.status === 'claimed']).toEqual([true, 'claimed', false]);
            }
            if (was !== undefined) expect(after.planNumber).toBeGreaterThanOrEqual(was.planNumber);
            if (was !== undefined && !isClaim) {
              expect(after.heartbeatVersion - was.heartbeatVersion).toBeGreaterThanOrEqual(0);
            }
            highest.set(after.memberId, after.incarnation);
          }
        }
      }),
      { numRuns: 150 },
    );
    expect(claims).toBeGreaterThan(100); // or the writes were all refused, and nothing was shown
  });

  it('P2: a lease changes as the model says: takes add one to the epoch, releases keep it, all else is refused', async () => {
    const commands = fc.oneof(
      takes.map(([id, owner, expected]) => ({ type: 'take' as const, taskId: id, owner, expected })),
      releases.map(([id, owner, epoch]) => ({ type: 'release' as const, taskId: id, owner, epoch })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(commands, { maxLength: 80 }), async (sequence) => {
        const store = createMemoryLeaseStore();
        const model = new Map<string, { epoch: number; owner: string | null }>();
        const show = (owner: Incarnation | null) => (owner === null ? null : `${owner.memberId}/${owner.incarnation}`);
        for (const command of sequence) {
          const was = model.get(command.taskId);
          const answer =
            command.type === 'take'
              ? await store.takeLease(command)
              : await store.releaseLease({ ...command, offsets: null });
          const mustApply =
            command.type === 'take'
              ? command.expected === null
                ? was === undefined
                : was?.epoch === command.expected.epoch && was.owner === show(command.expected.owner)
              : was !== undefined && was.epoch === command.epoch && was.owner === show(command.owner);
          expect(answer.applied).toBe(mustApply);
          if (mustApply) {
            const taken = { epoch: (was?.epoch ?? 0) + 1, owner: show(command.owner) };
            model.set(command.taskId, command.type === 'take' ? taken : { epoch: was?.epoch ?? 0, owner: null });
          }
          const now = await store.readLease(command.taskId);
          const expected = model.get(command.taskId);
          expect(now === null ? undefined : { epoch: now.epoch, owner: show(now.owner) }).toEqual(expected);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('P3: plan numbers are 1, 2, … without a gap, and a plan that was written never changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 60 }), async (numbers) => {
        const store = createMemoryLeaseStore();
        const written: Plan[] = [];
        for (const [turn, number] of numbers.entries()) {
          const candidate = plan(number, `turn ${turn}`);
          const { applied } = await store.writePlan(candidate);
          expect(applied).toBe(number === written.length + 1);
          if (applied) written.push(candidate);
          expect(await store.readPlan()).toEqual(written.at(-1) ?? null);
        }
        for (const one of written) expect(await store.readPlanNumber(one.number)).toEqual(one);
      }),
      { numRuns: 100 },
    );
  });

  it('of any number of concurrent takes of one lease exactly one applies', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(incarnations, { minLength: 2, maxLength: 8 }), async (rivals) => {
        const store = createMemoryLeaseStore();

        const answers = await Promise.all(
          rivals.map((owner) => store.takeLease({ taskId: taskId(0, 0), owner, expected: null })),
        );

        expect(answers.filter((answer) => answer.applied).length).toBe(1);
      }),
      { numRuns: 50 },
    );
  });
});
