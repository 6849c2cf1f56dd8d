import { expect, it } from 'vitest';
import shopVisits, { type Click, visits } from '../../../examples/sessions/visits.js';
import { TopologyTestDriver } from '../../../lib/testing/index.js';

const MINUTE_MS = 60_000;

it('makes one visit of two that a late click connects, and deletes those', async () => {
  const driver = await TopologyTestDriver.start(shopVisits);
  const click = (minute: number, spentCents: number) =>
    driver.pipeInput<string, Click>('clicks', {
      key: 'ada',
      value: { page: 'any', spentCents },
      timestampMs: minute * MINUTE_MS,
    });

  await click(0, 0);
  await click(33, 1_200);
  const apart = driver.readOutputs('visits', visits);
  await click(29, 5);
  const connected = driver.readOutputs('visits', visits);

  expect(apart).toMatchObject([
    visit(0, 0, { clicks: 1, spentCents: 0 }),
    visit(33, 33, { clicks: 1, spentCents: 1_200 }),
  ]);
  expect(connected).toMatchObject([
    visit(0, 0, null),
    visit(33, 33, null),
    visit(0, 33, { clicks: 3, spentCents: 1_205 }),
  ]);
  await driver.close();
});

it('begins another visit after a pause of more than half an hour', async () => {
  const driver = await TopologyTestDriver.start(shopVisits);
  const click = (timestampMs: number) =>
    driver.pipeInput<string, Click>('clicks', { key: 'ada', value: { page: 'any', spentCents: 0 }, timestampMs });

  await click(0);
  await click(30 * MINUTE_MS);
  await click(60 * MINUTE_MS + 1);

  const last = driver.readOutputs('visits', visits).at(-1);
  expect(last).toMatchObject({ value: { clicks: 1 }, key: { window: { startMs: 60 * MINUTE_MS + 1 } } });
  await driver.close();
});

function visit(fromMinute: number, toMinute: number, value: object | null) {
  return { key: { key: 'ada', window: { startMs: fromMinute * MINUTE_MS, endMs: toMinute * MINUTE_MS } }, value };
}
