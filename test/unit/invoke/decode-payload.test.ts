import { describe, expect, it } from 'vitest';
import { CLOCK_TOLERANCE_MS, decodePayload, isExpired } from '../../../lib/invoke/decode-payload.js';
import type { FunctionName } from '../../../lib/invoke/payloads.js';

const common = { applicationId: 'app', expiresAtMs: 1_000 };
const runMember = { type: 'run-member', ...common, memberId: 'member-3', incarnation: 2 };
const doorbell = { type: 'doorbell', ...common, partitions: [{ topic: 't', partition: 0, toOffset: 7 }] };
const advance = { type: 'advance-snapshots', ...common, taskIds: ['0_3'] };
const tick = { type: 'tick', ...common, reason: 'schedule' };

function refusal(target: FunctionName, payload: unknown): Record<string, unknown> {
  try {
    decodePayload(target, payload);
  } catch (error) {
    const { code, details } = error as { code: string; details: Record<string, unknown> };
    return { code, field: details.field };
  }
  return { code: 'none' };
}

describe('a payload', () => {
  it.each([
    ['task', runMember],
    ['task', { ...runMember, others: [{ memberId: 'member-4', incarnation: 9 }] }],
    ['task', doorbell],
    ['task', { ...doorbell, partitions: [{ topic: 't', partition: 0, toOffset: null }] }],
    ['task', { ...doorbell, partitions: [] }],
    ['standby', advance],
    ['scheduler', tick],
    ['scheduler', { ...tick, whileMembers: true }],
    ['scheduler', { ...tick, resume: true }],
  ] as const)('for %s is read: %j', (target, payload) => {
    expect(decodePayload(target, payload)).toEqual(payload);
  });

  it('loses fields that are not known', () => {
    expect(decodePayload('scheduler', { ...tick, more: 1 })).toEqual(tick);
  });

  it.each([false, null])('with whileMembers %s is one for a single tick', (whileMembers) => {
    expect(decodePayload('scheduler', { ...tick, whileMembers })).toEqual(tick);
  });

  it.each([
    ['task', tick],
    ['task', advance],
    ['standby', runMember],
    ['scheduler', doorbell],
    ['scheduler', { ...tick, type: 'constructor' }],
    ['scheduler', { ...tick, type: 5 }],
    ['scheduler', { ...tick, type: undefined }],
  ] as const)('for %s of another type is refused: %j', (target, payload) => {
    expect(refusal(target, payload)).toEqual({ code: 'STREAMS_INVALID_PAYLOAD', field: 'type' });
  });

  it.each([null, undefined, 'text', 5, [], [tick]])('that is no object is refused: %j', (payload) => {
    expect(refusal('scheduler', payload)).toEqual({ code: 'STREAMS_INVALID_PAYLOAD', field: '' });
  });

  it.each([
    ['applicationId', { ...tick, applicationId: '' }],
    ['applicationId', { ...tick, applicationId: undefined }],
    ['expiresAtMs', { ...tick, expiresAtMs: '1000' }],
    ['expiresAtMs', { ...tick, expiresAtMs: Number.NaN }],
    ['expiresAtMs', { ...tick, expiresAtMs: -1 }],
    ['reason', { ...tick, reason: 5 }],
    ['whileMembers', { ...tick, whileMembers: 'false' }],
    ['resume', { ...tick, resume: 'yes' }],
  ])('for the scheduler with a wrong %s is refused', (field, payload) => {
    expect(refusal('scheduler', payload)).toEqual({ code: 'STREAMS_INVALID_PAYLOAD', field });
  });

  it.each([
    ['memberId', { ...runMember, memberId: 'member-' }],
    ['memberId', { ...runMember, memberId: 'other-1' }],
    ['memberId', { ...runMember, memberId: 3 }],
    ['incarnation', { ...runMember, incarnation: 0 }],
    ['others', { ...runMember, others: 'all' }],
    ['others[0]', { ...runMember, others: ['member-4'] }],
    ['others[0].memberId', { ...runMember, others: [{ memberId: 'four', incarnation: 1 }] }],
    ['others[1].incarnation', { ...runMember, others: [runMember, { memberId: 'member-4' }] }],
    ['incarnation', { ...runMember, incarnation: 1.5 }],
    ['partitions', { ...doorbell, partitions: {} }],
    ['partitions', { ...doorbell, partitions: new Array(10_001).fill(doorbell.partitions[0]) }],
    ['partitions[0]', { ...doorbell, partitions: [null] }],
    ['partitions[1].topic', { ...doorbell, partitions: [...doorbell.partitions, { partition: 0, toOffset: 1 }] }],
    ['partitions[0].partition', { ...doorbell, partitions: [{ topic: 't', partition: -1, toOffset: 1 }] }],
    ['partitions[0].toOffset', { ...doorbell, partitions: [{ topic: 't', partition: 0 }] }],
    ['partitions[0].toOffset', { ...doorbell, partitions: [{ topic: 't', partition: 0, toOffset: -1 }] }],
  ])('for a task with a wrong %s is refused', (field, payload) => {
    expect(refusal('task', payload)).toEqual({ code: 'STREAMS_INVALID_PAYLOAD', field });
  });

  it.each([
    ['taskIds', { ...advance, taskIds: '0_3' }],
    ['taskIds[1]', { ...advance, taskIds: ['0_3', 'zero'] }],
    ['taskIds[0]', { ...advance, taskIds: [3] }],
  ])('for a standby with a wrong %s is refused', (field, payload) => {
    expect(refusal('standby', payload)).toEqual({ code: 'STREAMS_INVALID_PAYLOAD', field });
  });

  it('is expired after its time, not at it', () => {
    const payload = decodePayload('scheduler', tick);

    const lastMs = 1_000 + CLOCK_TOLERANCE_MS;
    expect([1_000, lastMs, lastMs + 1].map((nowMs) => isExpired(payload, nowMs))).toEqual([false, false, true]);
  });
});
