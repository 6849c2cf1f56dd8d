import { describe, expect, it } from 'vitest';
import { countsOf, exactCounts, runScene } from '../../../../support/simulation/fault-scene.js';

describe('a slow log', () => {
  it('lets each call wait before it takes effect', async () => {
    const ms = 700;
    const fault = { kind: 'slow-log', atMs: 1_500, lengthMs: 1_000, ms, before: true, producer: false };

    const run = await runScene([fault]);

    const { atMs, fields } = run.fault('slow-log');
    const meanwhile = run.between(atMs, atMs + ms).filter((call) => call.includes(' log.'));
    expect(meanwhile).toEqual([]);
    expect(fields.untilMs).toBe(atMs + 1_000 + ms);
    expect(await countsOf(run)).toEqual(exactCounts());
  });
});

describe('a failing log', () => {
  it('fails the calls of a producer after they took effect: the outcome is unknown, and nothing is counted twice', async () => {
    const fault = { kind: 'failing-log', atMs: 1_500, lengthMs: 400, share: 1, before: false, producer: true };

    const run = await runScene([fault]);

    const unknown = run.entries('task-recovering').filter(({ fields }) => fields.code === 'STREAMS_UNKNOWN_OUTCOME');
    expect(unknown.length).toBeGreaterThan(0);
    expect(run.violations).toEqual([]);
    expect(await countsOf(run)).toEqual(exactCounts());
  });

  it('fails reads without an effect: the log is away', async () => {
    const fault = { kind: 'failing-log', atMs: 1_500, lengthMs: 300, share: 1, before: true, producer: false };

    const run = await runScene([fault]);

    const { atMs } = run.fault('failing-log');
    const meanwhile = run.between(atMs, atMs + 300).filter((call) => call.includes(' log.'));
    expect(meanwhile).toEqual([]);
    expect(run.entries('task-recovering').some(({ fields }) => fields.code === 'STREAMS_UNAVAILABLE')).toBe(true);
    expect(await countsOf(run)).toEqual(exactCounts());
  });
});
