import { describe, expect, it } from 'vitest';
import {
  countsOf,
  exactCounts,
  runScene,
  SCENE_SIZE,
  type SceneRun,
} from '../../../../support/simulation/fault-scene.js';

const commitsOf = (run: SceneRun, name: unknown, atMs: number) =>
  run.effects.filter(
    ({ atMs: at, effect }) => effect.process.name === name && effect.method === 'commit' && effect.ok && at >= atMs,
  );

describe('a time-out in mid-transaction', () => {
  it.each([true, false])('kills the process with the transaction open (all was sent: %s)', async (beforeCommit) => {
    const run = await runScene([{ kind: 'timed-out', transaction: 8, beforeCommit }]);

    const { atMs, fields } = run.fault('timed-out');
    expect(fields.method).toBe(beforeCommit ? 'commit' : 'send');
    expect(commitsOf(run, fields.process, atMs)).toEqual([]);
    expect(run.entries('invocation-failed').map(({ fields: { cause } }) => cause)).toEqual(['timed out']);
    expect(run.entries('failure-reported')).toHaveLength(1);
    expect(await countsOf(run)).toEqual(exactCounts());
  });
});

describe('a transaction that stands still', () => {
  it('is aborted by the broker, or by the successor, before its process goes on', async () => {
    const ms = SCENE_SIZE.transactionTimeoutMs + 500;

    const run = await runScene([{ kind: 'transaction-timed-out', transaction: 6, beforeCommit: true, ms }]);

    const { atMs, fields } = run.fault('transaction-timed-out');
    const refused = run.effects.filter(
      ({ effect }) => effect.process.name === fields.process && effect.method === 'commit' && !effect.ok,
    );
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.atMs).toBeGreaterThanOrEqual(atMs + ms);
    expect(await countsOf(run)).toEqual(exactCounts());
  });
});

describe("somebody else's transaction", () => {
  it('hangs until its time-out and is never seen', async () => {
    const fault = { kind: 'foreign-transaction', atMs: 1_000, topic: 1, partition: 0, records: 2, ms: 4_000 };

    const run = await runScene([fault]);

    const { topic } = run.fault('foreign-transaction').fields;
    const [timedOut] = run.entries('transaction-timed-out').filter(({ who }) => who === 'cloud');
    const after = run.effects.filter(({ effect }) => effect.method === 'fetch' && effect.ok);
    const fetched = after.flatMap(({ effect }) =>
      effect.ok
        ? (effect.answer as readonly { readonly topic: string; readonly records: { readonly bytes: Uint8Array } }[])
        : [],
    );
    expect(timedOut?.atMs).toBeGreaterThanOrEqual(5_000);
    expect(fetched.some((result) => result.topic === topic)).toBe(true);
    expect(Object.keys(await countsOf(run))).not.toContain('(aborted)');
    expect(await countsOf(run)).toEqual(exactCounts());
  });
});
