import { describe, expect, it } from 'vitest';
import { CLOCK_TOLERANCE_MS } from '../../../../../lib/invoke/decode-payload.js';
import { runScene, type SceneRun } from '../../../../support/simulation/fault-scene.js';

const callsOf = (run: SceneRun, name: unknown, fromMs: number, toMs = Number.POSITIVE_INFINITY) =>
  run.between(fromMs, toMs).filter((call) => call.startsWith(`${name} `));

describe('a crash', () => {
  it('before a call keeps it from taking effect, and ends the process', async () => {
    const quiet = await runScene([]);
    const call = quiet.effects.length >> 1;

    const run = await runScene([{ kind: 'crash', call, before: true }]);

    const { atMs, fields } = run.fault('crash');
    expect(callsOf(run, fields.process, atMs)).toEqual([]);
    expect(run.effects.slice(0, call - 10).map(({ effect }) => effect.method)).toEqual(
      quiet.effects.slice(0, call - 10).map(({ effect }) => effect.method),
    );
    expect(run.entries('invocation-failed').map(({ who, fields: { cause } }) => [who, cause])).toEqual([
      [fields.process, 'crashed'],
    ]);
  });

  it('after a call lets it take effect, unheard', async () => {
    const run = await runScene([{ kind: 'crash', call: 300, before: false }]);

    const { atMs, fields } = run.fault('crash');
    const own = run.effects.filter(({ effect }) => effect.process.name === fields.process);
    // A fetch that waits at the broker is answered later.
    const last = own.filter(({ effect, atMs: effectAtMs }) => effect.method !== 'fetch' || effectAtMs <= atMs).at(-1);
    expect([last?.atMs, last?.effect.method]).toEqual([atMs, fields.method]);
  });
});

describe('a freeze', () => {
  it('keeps a process from every effect for as long as it lasts, while others go on', async () => {
    const ms = 5_000;
    const run = await runScene([{ kind: 'freeze', call: 300, before: true, ms }]);

    const { atMs, fields } = run.fault('freeze');
    expect(callsOf(run, fields.process, atMs, atMs + ms)).toEqual([]);
    expect(run.between(atMs, atMs + ms).length).toBeGreaterThan(0);
  });
});

describe('a short deadline', () => {
  it('makes a member hand over before it is cut off', async () => {
    const ms = 4_000;

    const run = await runScene([{ kind: 'deadline', invocation: 0, ms }]);

    const { fields } = run.fault('deadline');
    const [started] = run.entries('invocation-started').filter((entry) => entry.fields.requestId === fields.requestId);
    const [ended] = run.entries('invocation-ended').filter((entry) => entry.fields.requestId === fields.requestId);
    const drained = run.entries('member-ended').filter((entry) => entry.fields.ended === 'drained');
    expect(started?.fields.timeoutMs).toBe(ms);
    expect((ended?.atMs ?? Number.POSITIVE_INFINITY) - (started?.atMs ?? 0)).toBeLessThan(ms);
    expect(drained).toHaveLength(1);
    expect(run.entries('successor-invoked')).toHaveLength(1);
  });
});

describe('a wrong clock', () => {
  it.each([0, 1_500])(
    'is wrong from its start or from a jump after %d ms on, until all is calm',
    async (jumpAfterMs) => {
      const ms = -30_000;

      const run = await runScene([{ kind: 'clock-skew', environment: 0, ms, jumpAfterMs }]);

      const { atMs, fields } = run.fault('clock-skew');
      expect(fields.process).toBe('scheduler#0');
      expect(atMs).toBeGreaterThanOrEqual(jumpAfterMs);
      expect(run.violations).toEqual([]);
      const skews = new Set(
        run.effects.map(({ effect }) => effect.process).map(({ name, skewMs }) => `${name} ${skewMs}`),
      );
      expect([...skews].every((text) => text.endsWith(' 0'))).toBe(true);
    },
  );

  it('shows in what the process writes: an invocation of a clock that is too slow has expired when it is made', async () => {
    const ms = -CLOCK_TOLERANCE_MS - 10_000;
    const run = await runScene([{ kind: 'clock-skew', environment: 0, ms, jumpAfterMs: 0 }]);

    const [asked] = run.entries('invocation-accepted').filter(({ fields }) => fields.target === 'task');
    const event = asked?.fields.event as { readonly expiresAtMs: number } | undefined;
    expect(event?.expiresAtMs).toBeLessThan(1_700_000_000_000);
    expect(run.entries('payload-expired').length).toBeGreaterThan(0);
  });
});
