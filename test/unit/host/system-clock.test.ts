import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSystemClock } from '../../../lib/host/node/system-clock.js';

describe('the system clock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('sleeps longer than a timer of Node can, instead of not at all', async () => {
    const clock = createSystemClock();
    let isAwake = false;
    const sleep = clock.sleep(2 ** 31 + 1_000).then(() => {
      isAwake = true;
    });

    await vi.advanceTimersByTimeAsync(2 ** 31);
    expect(isAwake).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    await sleep;
    expect(isAwake).toBe(true);
  });

  it('leaves neither timer nor listener behind when a sleep ends, either way', async () => {
    const clock = createSystemClock();
    const controller = new AbortController();

    const ended = clock.sleep(10, controller.signal);
    await vi.advanceTimersByTimeAsync(10);
    await ended;
    expect(getEventListeners(controller.signal, 'abort').length).toBe(0);

    const given = clock.sleep(10, controller.signal);
    controller.abort(new Error('enough'));
    await expect(given).rejects.toMatchObject({ code: 'STREAMS_ABORTED', cause: { message: 'enough' } });
    expect(vi.getTimerCount()).toBe(0);
  });
});
