import { expect, it } from 'vitest';
import usagePerHour, { usage } from '../../../examples/windowed-sums/usage-per-hour.js';
import { TopologyTestDriver } from '../../../lib/testing/index.js';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

it('gives one sum for each hour, when the hour and its grace have passed, and takes late readings until then', async () => {
  const driver = await TopologyTestDriver.start(usagePerHour);
  const read = (value: number, timestampMs: number) =>
    driver.pipeInput('readings', { key: 'meter', value, timestampMs });

  await read(200, 10 * MINUTE_MS);
  await read(300, HOUR_MS - 1);
  await read(150, HOUR_MS);
  await read(90, 58 * MINUTE_MS);
  const early = driver.readOutputs('usage-per-hour', usage);
  await read(1, HOUR_MS + 5 * MINUTE_MS);
  await read(999, 59 * MINUTE_MS);
  await read(0, 3 * HOUR_MS);

  expect(early).toEqual([]);
  expect(driver.readOutputs('usage-per-hour', usage)).toMatchObject([
    { key: { key: 'meter', window: { startMs: 0, endMs: HOUR_MS } }, value: 590 },
    { key: { key: 'meter', window: { startMs: HOUR_MS, endMs: 2 * HOUR_MS } }, value: 151 },
  ]);
  await driver.close();
});
