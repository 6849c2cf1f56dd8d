import { describe, expect, it } from 'vitest';
import { defineApp, StreamsBuilder, string } from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/index.js';

const text = { key: string(), value: string() };
const HOUR_MS = 3_600_000;

/** Values from a function that settles for every value but `never`. */
function start(options: { readonly timeout: number; readonly retries?: number }, calls: string[] = []) {
  const builder = new StreamsBuilder();
  builder
    .stream('in', text)
    .mapValuesAsync(
      (value) => {
        calls.push(value);
        return value === 'never' ? new Promise<string>(() => undefined) : Promise.resolve(value);
      },
      { ...options, value: string() },
    )
    .to('out');
  const app = defineApp({
    applicationId: 'app',
    topology: builder.build(),
    settings: { processingExceptionHandler: 'continue' },
  });
  return TopologyTestDriver.start(app);
}

const valuesOf = (driver: TopologyTestDriver) => driver.readOutputs('out', text).map(({ value }) => value);

describe('a call that never settles, in the test driver', () => {
  it('times out when the wall clock is moved on while its record waits', async () => {
    const driver = await start({ timeout: HOUR_MS });

    const piped = driver.pipeInput('in', { key: 'k', value: 'never', timestampMs: 1 });
    await driver.advanceWallClockTime(HOUR_MS);
    await piped;
    await driver.pipeInput('in', { key: 'k', value: 'next', timestampMs: 2 });

    expect(driver.droppedRecords).toEqual(new Map([['processing', 1]]));
    expect(valuesOf(driver)).toEqual(['next']);
  });

  it('does not time out before', async () => {
    const driver = await start({ timeout: HOUR_MS });
    let isDone = false;

    const piped = driver.pipeInput('in', { key: 'k', value: 'never', timestampMs: 1 }).then(() => {
      isDone = true;
    });
    const moved = driver.advanceWallClockTime(HOUR_MS - 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isDone).toBe(false);
    await Promise.all([driver.advanceWallClockTime(1), moved, piped]);

    expect(driver.droppedRecords).toEqual(new Map([['processing', 1]]));
  });

  it('times out in real time where nobody moves the clock', async () => {
    const driver = await start({ timeout: 20 });

    await driver.pipeInput('in', { key: 'k', value: 'never', timestampMs: 1 });

    expect(driver.droppedRecords).toEqual(new Map([['processing', 1]]));
  });

  it('is repeated without pauses', async () => {
    const calls: string[] = [];
    const driver = await start({ timeout: 10, retries: 5 }, calls);

    const startedAtMs = performance.now();
    await driver.pipeInput('in', { key: 'k', value: 'never', timestampMs: 1 });

    expect(calls).toHaveLength(6);
    expect(performance.now() - startedAtMs).toBeLessThan(3_000); // the pauses alone would be 3,100 ms
  });
});
