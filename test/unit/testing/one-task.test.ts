import { describe, expect, test } from 'vitest';
import { defineApp, StreamRecord, StreamsBuilder, string } from '../../../lib/index.js';
import type { Processor } from '../../../lib/processor/processor.js';
import type { ProcessorContext } from '../../../lib/processor/processor-context.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };

/** Says when it was called by stream time. */
class Ticking implements Processor<string, string, string, string> {
  init(context: ProcessorContext<string, string>): void {
    context.schedule('10ms', 'streamTime', (timestampMs) =>
      context.forward(StreamRecord.of({ key: 'tick', value: '', timestampMs })),
    );
  }

  process(): void {}
}

function twoParts(): ReturnType<typeof defineApp> {
  const builder = new StreamsBuilder();
  builder
    .stream('ticked', text)
    .process(() => new Ticking(), text)
    .to('ticks');
  builder.stream('other', text).to('out');
  return defineApp({ applicationId: 'app', topology: builder.build() });
}

/** Each word of a line goes to three topics that are one stream again. */
function threeWays(): ReturnType<typeof defineApp> {
  const builder = new StreamsBuilder();
  const words = builder.stream('lines', text).flatMapValues((line) => line.split(' '));
  const ways = ['x', 'y', 'z'].map((name) => words.mapValues((word) => `${name}${word}`).repartition({ name }));
  const [x, y, z] = ways as [(typeof ways)[0], (typeof ways)[0], (typeof ways)[0]];
  x.merge(y).merge(z).to('out');
  return defineApp({ applicationId: 'app', topology: builder.build() });
}

describe('a test driver with one task', () => {
  test('shares stream time among the sub-topologies, which otherwise have their own', async () => {
    const one = await TopologyTestDriver.start(twoParts(), { oneTask: true });
    const several = await TopologyTestDriver.start(twoParts());

    for (const driver of [one, several]) await driver.pipeInput('other', { key: 'k', value: 'v', timestampMs: 25 });

    expect(one.taskIds).toEqual(['0_0']);
    expect(one.readOutputs('ticks')).toMatchObject([{ key: 'tick', timestampMs: 25 }]);
    expect(several.readOutputs('ticks')).toEqual([]);
  });

  test("takes records of one time from their topics as the heap of Kafka's driver does", async () => {
    const driver = await TopologyTestDriver.start(threeWays(), { oneTask: true });

    await driver.pipeInput('lines', { key: 'k', value: '1', timestampMs: 5 });
    await driver.pipeInput('lines', { key: 'k', value: '1 2', timestampMs: 5 });

    const values = driver.readOutputs('out').map(({ value }) => value);
    expect(values).toEqual(['x1', 'z1', 'y1', 'x1', 'z1', 'x2', 'z2', 'y1', 'y2']);
  });

  test('goes on with what waited when it dies', async () => {
    const whole = await TopologyTestDriver.start(threeWays(), { oneTask: true });
    const cut = await TopologyTestDriver.start(threeWays(), { oneTask: true });

    await whole.pipeInput('lines', { key: 'k', value: '1 2', timestampMs: 5 });
    cut.crashBeforeCommit();
    await cut.pipeInput('lines', { key: 'k', value: '1 2', timestampMs: 5 });

    expect(cut.readOutputs('out')).toEqual(whole.readOutputs('out'));
  });

  test('refuses partitions', async () => {
    const refused = TopologyTestDriver.start(twoParts(), { oneTask: true, partitions: 2 });

    await expect(refused).rejects.toMatchObject({ code: 'STREAMS_INVALID_SETTING' });
  });
});
