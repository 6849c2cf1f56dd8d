import { describe, expect, it } from 'vitest';
import { StopSource } from '../../../lib/runtime/stop.js';
import { Wakeup } from '../../../lib/runtime/wakeup.js';
import { createTestHost, settle } from '../../support/test-host.js';

describe('a request to stop', () => {
  it('keeps its first reason', () => {
    const stop = new StopSource();

    stop.request('draining');
    stop.request('idle');

    expect([stop.reason, stop.signal.aborted]).toEqual(['draining', true]);
  });

  it('to hand back gives way to the end of the member, with which the lease is anybody’s', () => {
    const stop = new StopSource();

    stop.request('revoked');
    stop.request('idle');

    expect(stop.reason).toBe('idle');
  });

  it('is overruled by the loss of the slot: then nothing may be committed any more', () => {
    const stop = new StopSource();

    stop.request('draining');
    stop.request('lost');

    expect(stop.reason).toBe('lost');
  });
});

describe('a sleep that can be cut short', () => {
  it('ends with the wake-up, or with its time', async () => {
    const { clock, advance } = createTestHost();
    const wakeup = new Wakeup();
    const ended: string[] = [];
    void wakeup.sleep(clock, 100).then(() => ended.push('first'));
    await settle();
    wakeup.wake();
    await settle();
    void wakeup.sleep(clock, 100).then(() => ended.push('second'));

    await advance(99);
    expect(ended).toEqual(['first']);
    await advance(1);

    expect(ended).toEqual(['first', 'second']);
  });

  it('does not lose a wake-up that comes while nobody sleeps', async () => {
    const { clock } = createTestHost();
    const wakeup = new Wakeup();
    wakeup.wake();

    await wakeup.sleep(clock, 1_000_000);
  });
});
