import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Lease, LeaseEpoch, Plan } from '../../../lib/leases/records.js';
import { lagBetween, type Offset, offset } from '../../../lib/model/offset.js';
import { taskId } from '../../../lib/model/task-id.js';
import { isAsleep } from '../../../lib/scheduler/sleep.js';
import type { ObservedInput, ObservedMember } from '../../../lib/scheduler/state.js';
import { string } from '../../../lib/serde/string-serde.js';
import { defineApp } from '../../../lib/topology/app.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';

const TASK = taskId(0, 0);
const app = defineApp({
  applicationId: 'app',
  topology: new TopologyBuilder().addSource('source', 'in', { key: string(), value: string() }).build(),
  settings: { idleTimeoutMs: 1_000 },
});
const member: ObservedMember = {
  memberId: 'member-1',
  incarnation: 1,
  status: 'free',
  heartbeatVersion: 1,
  planNumber: 1,
  report: { running: [], positions: [], recordsProcessed: 0 },
  tags: {},
  stillMs: 0,
};
const plan: Plan = {
  number: 1,
  createdAtMs: 0,
  reason: 'test',
  assignor: 'test',
  assignment: { 'member-1': { active: [TASK], standby: [], warmup: [] } },
  dead: [],
  partitions: {},
};
const lease: Lease = { taskId: TASK, epoch: 1 as LeaseEpoch, owner: null, offsets: null };

const someOffset = fc.oneof(fc.constant(0), fc.nat(5), fc.nat(Number.MAX_SAFE_INTEGER)).map(offset);
/** Committed offsets as they are met: none at all, 0, in front of the end, at it, and beyond it. */
const observed: fc.Arbitrary<ObservedInput> = fc
  .tuple(someOffset, someOffset, fc.constantFrom('none', 'zero', 'any', 'end', 'beyond'), someOffset)
  .map(([one, other, kind, any]) => {
    const [startOffset, endOffset] = one < other ? [one, other] : [other, one];
    const beyond = offset(Math.min(endOffset + 1, Number.MAX_SAFE_INTEGER));
    const known: Record<typeof kind, Offset | null> = { none: null, zero: offset(0), any, end: endOffset, beyond };
    return { startOffset, endOffset, nextOffset: known[kind] };
  });

test('a task sleeps exactly when no input has a record beyond where it stands, whatever offset is missing (trap 22)', () => {
  fc.assert(
    fc.property(fc.array(observed, { maxLength: 3 }), (inputs) => {
      const hasNews = inputs.some(({ nextOffset, startOffset, endOffset }) =>
        nextOffset === null ? startOffset < endOffset : nextOffset < endOffset,
      );

      const state = { app, plan, leases: [lease], members: [], inputs: new Map([[TASK, inputs]]), nowMs: 0 };
      const asleep = isAsleep(state, member);

      expect(asleep).toBe(!hasNews);
    }),
  );
});

test('lag is a whole number from 0 to the end, and 0 exactly at the end or beyond it (trap 22)', () => {
  fc.assert(
    fc.property(someOffset, someOffset, (position, end) => {
      const lag = lagBetween(position, end);

      expect(Number.isSafeInteger(lag) && lag >= 0 && lag <= end).toBe(true);
      expect(lag === 0).toBe(position >= end);
    }),
  );
});
