import { describe, expect, it } from 'vitest';
import {
  InternalError,
  OffsetOutOfRangeError,
  ProcessingError,
  ProducerFencedError,
  RecordTooLargeError,
  TaskMigratedError,
  UnavailableError,
  UnknownOutcomeError,
} from '../../../lib/model/errors.js';
import { backoffMs, RECOVERY_ATTEMPTS_MAX, recoveryFrom } from '../../../lib/runtime/recovery.js';

describe('what a task does about an error', () => {
  it.each([
    [new TaskMigratedError(''), 'migrated'],
    [new ProducerFencedError(''), 'new-epoch'],
    [new UnknownOutcomeError(''), 'again'],
    [new UnavailableError(''), 'again'],
    [new OffsetOutOfRangeError(''), 'again-from-scratch'],
    [new ProcessingError(''), 'fail'],
    [new InternalError(''), 'fail'],
  ] as const)('%s', (error, recovery) => {
    expect(recoveryFrom(error, 1)).toBe(recovery);
  });

  it('gives up after a bounded number of attempts, but never holds on to a lease that is gone', () => {
    expect(recoveryFrom(new UnknownOutcomeError(''), RECOVERY_ATTEMPTS_MAX + 1)).toBe('fail');
    expect(recoveryFrom(new TaskMigratedError(''), RECOVERY_ATTEMPTS_MAX + 1)).toBe('migrated');
  });

  it('is given up when it has taken too long, but never with the first error', () => {
    const error = new UnknownOutcomeError('');

    expect(recoveryFrom(error, 1, { elapsedMs: 0, taskTimeoutMs: 0 })).toBe('again');
    expect(recoveryFrom(error, 2, { elapsedMs: 999, taskTimeoutMs: 1_000 })).toBe('again');
    expect(recoveryFrom(error, 2, { elapsedMs: 1_000, taskTimeoutMs: 1_000 })).toBe('fail');
    expect(recoveryFrom(new TaskMigratedError(''), 2, { elapsedMs: 1_000, taskTimeoutMs: 0 })).toBe('migrated');
  });

  it('of records that their topic does not take is one more try for as long as each try tells of others', () => {
    const error = new RecordTooLargeError('');
    const patience = { elapsedMs: 0, taskTimeoutMs: 1_000 };

    expect(recoveryFrom(error, 1, patience)).toBe('fail');
    expect(recoveryFrom(error, 100, { ...patience, hasLearned: true })).toBe('again');
    expect(recoveryFrom(error, 1_001, { ...patience, hasLearned: true })).toBe('fail');
  });

  it('waits longer each time, up to a bound', () => {
    const waits = Array.from({ length: 12 }, (_, index) => backoffMs(index + 1, 0));

    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(backoffMs(1, 0.99)).toBeLessThan(backoffMs(1, 0) * 1.5);
    expect(waits.at(-1)).toBe(2_000);
  });
});
