import { describe, expect, it } from 'vitest';
import { createMemoryInvoker, type InvocationFailure } from '../../../lib/invoke/memory/memory-invoker.js';
import type { Tick } from '../../../lib/invoke/payloads.js';

const clock = { sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) };
const tick = (reason: string): Tick => ({ type: 'tick', applicationId: 'app', expiresAtMs: 1, reason });

describe('an invoker in the same process', () => {
  it('tells the listener of what a function throws, with the invocation', async () => {
    const failures: InvocationFailure[] = [];
    const invoker = createMemoryInvoker({ clock, onFailure: (failure) => failures.push(failure) });
    const error = new Error('user code');
    invoker.register('scheduler', () => Promise.reject(error));

    await invoker.invoke('scheduler', tick('a'));
    await invoker.idle();

    expect(failures).toEqual([{ target: 'scheduler', payload: tick('a'), error }]);
  });

  it('reports an invocation of a function that nobody registered', async () => {
    const failures: InvocationFailure[] = [];
    const invoker = createMemoryInvoker({ clock, onFailure: (failure) => failures.push(failure) });

    await invoker.invoke('scheduler', tick('a'));
    await invoker.idle();

    expect(failures).toMatchObject([{ target: 'scheduler', error: { code: 'STREAMS_INTERNAL' } }]);
  });

  it('reports a payload that its sender made wrongly', async () => {
    const failures: InvocationFailure[] = [];
    const invoker = createMemoryInvoker({ clock, onFailure: (failure) => failures.push(failure) });
    invoker.register('scheduler', () => Promise.resolve());

    await invoker.invoke('scheduler', { ...tick('a'), expiresAtMs: Number.NaN });
    await invoker.idle();

    expect(failures).toMatchObject([{ error: { code: 'STREAMS_INVALID_PAYLOAD', details: { field: 'expiresAtMs' } } }]);
  });

  it('refuses what is more than it may have in flight, and takes more when some have ended', async () => {
    const reasons: string[] = [];
    const invoker = createMemoryInvoker({ clock, maxInFlight: 2 });
    invoker.register('scheduler', async ({ reason }) => reasons.push(reason));

    await invoker.invoke('scheduler', tick('a'));
    await invoker.invoke('scheduler', tick('b'));
    await expect(invoker.invoke('scheduler', tick('c'))).rejects.toMatchObject({ code: 'STREAMS_UNAVAILABLE' });
    await invoker.idle();
    await invoker.invoke('scheduler', tick('d'));
    await invoker.idle();

    expect(reasons).toEqual(['a', 'b', 'd']);
  });

  it('is idle only when invocations that invocations have made are done too', async () => {
    const reasons: string[] = [];
    const invoker = createMemoryInvoker({ clock });
    invoker.register('scheduler', async ({ reason }) => {
      reasons.push(reason);
      if (reason.length < 4) await invoker.invoke('scheduler', tick(`${reason}x`));
    });

    await invoker.invoke('scheduler', tick('x'));
    await invoker.idle();

    expect(reasons).toEqual(['x', 'xx', 'xxx', 'xxxx']);
  });

  it('closes after what is in flight, takes no more, and may be closed twice', async () => {
    const reasons: string[] = [];
    const invoker = createMemoryInvoker({ clock });
    invoker.register('scheduler', async ({ reason }) => reasons.push(reason));
    await invoker.invoke('scheduler', tick('a'));

    await Promise.all([invoker.close(), invoker.close()]);

    expect(reasons).toEqual(['a']);
    await expect(invoker.invoke('scheduler', tick('b'))).rejects.toMatchObject({ code: 'STREAMS_UNAVAILABLE' });
  });

  it('delivers a copy: the sender cannot change what was sent', async () => {
    const received: unknown[] = [];
    const invoker = createMemoryInvoker({ clock });
    invoker.register('standby', async (payload) => received.push(payload.taskIds));
    const taskIds = ['0_1'];

    await invoker.invoke('standby', { type: 'advance-snapshots', applicationId: 'app', expiresAtMs: 1, taskIds });
    taskIds.push('0_2');
    await invoker.idle();

    expect(received).toEqual([['0_1']]);
  });

  it('refuses a second function of the same name', () => {
    const invoker = createMemoryInvoker({ clock });
    invoker.register('task', () => Promise.resolve());

    expect(() => invoker.register('task', () => Promise.resolve())).toThrow(/registered twice/);
  });
});
