import { describe, expect, it } from 'vitest';
import {
  countsOf,
  exactCounts,
  runScene,
  SCENE_SIZE,
  type SceneRun,
} from '../../../../support/simulation/fault-scene.js';

const writesOf = ({ effects }: SceneRun, method: string) =>
  effects.filter(({ effect }) => effect.port === 'leases' && effect.method === method);

describe('a throttled table', () => {
  it('takes no call for twice the session time-out, and all goes on by itself after that (traps 38)', async () => {
    const lengthMs = 2 * SCENE_SIZE.sessionTimeoutMs;

    const run = await runScene([{ kind: 'table-throttled', atMs: 1_500, lengthMs, share: 1 }]);

    const { atMs } = run.fault('table-throttled');
    const meanwhile = run.between(atMs, atMs + lengthMs).filter((call) => call.includes(' leases.'));
    expect(meanwhile).toEqual([]);
    expect(run.effects.some((seen) => seen.effect.port === 'leases' && seen.atMs > atMs + lengthMs)).toBe(true);
    expect(run.violations).toEqual([]);
    expect(await countsOf(run)).toEqual(exactCounts());
  });

  it('takes some calls where only a share is refused', async () => {
    const run = await runScene([{ kind: 'table-throttled', atMs: 1_500, lengthMs: 2_000, share: 0.3 }]);

    const { atMs } = run.fault('table-throttled');
    const taken = run.between(atMs, atMs + 2_000).filter((call) => call.includes(' leases.'));
    expect(taken.length).toBeGreaterThan(0);
  });
});

describe('a lost answer of a table', () => {
  it('leaves the write done and the caller in doubt', async () => {
    const run = await runScene([
      { kind: 'table-reply-lost', method: 'claimMember', write: 0, ms: 500, readBack: false },
    ]);

    const { fields } = run.fault('table-reply-lost');
    const [claim] = writesOf(run, 'claimMember');
    expect(claim?.effect.ok && claim.effect.answer).toMatchObject({ applied: true });
    expect(run.entries('invocation-failed')[0]).toMatchObject({ who: fields.process });
    expect(run.entries('invocation-failed')[0]?.fields.message).toBe('claimMember: no answer');
    expect(await countsOf(run)).toEqual(exactCounts());
  });

  it('is found in the item by the adapter, late: the caller hears that it has written', async () => {
    const run = await runScene([{ kind: 'table-reply-lost', method: 'takeLease', write: 1, ms: 900, readBack: true }]);

    const { atMs, fields } = run.fault('table-reply-lost');
    const next = run.effects.find(
      (seen) =>
        seen.atMs > atMs && seen.effect.process.name === fields.process && seen.effect.method === 'initProducer',
    );
    expect(run.entries('invocation-failed')).toEqual([]);
    expect(next).toBeDefined();
    expect(await countsOf(run)).toEqual(exactCounts());
  });
});

describe('an item deleted by hand', () => {
  it.each(['members', 'leases'] as const)('is gone from the table of %s, and made again', async (table) => {
    const run = await runScene([{ kind: 'row-deleted', table, atMs: 2_000, row: 0 }]);

    const { fields, atMs } = run.fault('row-deleted');
    const method = table === 'members' ? 'createMember' : 'takeLease';
    expect(fields).toHaveProperty(table === 'members' ? 'member' : 'lease');
    expect(writesOf(run, method).some((seen) => seen.atMs > atMs)).toBe(true);
    expect(await countsOf(run)).toEqual(exactCounts());
  });
});
