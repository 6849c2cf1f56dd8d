import { describe, expect, it } from 'vitest';
import {
  defineApp,
  type FixedKeyProcessor,
  type FixedKeyProcessorContext,
  type FixedKeyRecord,
  type KeyValueStore,
  keyValueStore,
  long,
  StreamRecord,
  StreamsBuilder,
  string,
} from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/index.js';

const text = { key: string(), value: string() };
type Text = FixedKeyRecord<string, string>;
type Step = (record: Text, context: FixedKeyProcessorContext<string, string>) => unknown;

/** A topology whose processor does `step` with each record. */
function stepping(step: Step) {
  return driverOf(() => {
    let context: FixedKeyProcessorContext<string, string>;
    return {
      init(given) {
        context = given;
      },
      async process(record) {
        await step(record, context);
      },
    };
  });
}

function driverOf(supplier: () => FixedKeyProcessor<string, string, string>): Promise<TopologyTestDriver> {
  const builder = new StreamsBuilder();
  builder.addStateStore(keyValueStore({ name: 'seen', key: string(), value: long() }));
  builder
    .stream('in', text)
    .processValues(supplier, { stores: ['seen'], name: 'keeps' })
    .to('out');
  return TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));
}

describe('a processor that keeps the keys', () => {
  it('forwards its records with other values, timestamps and headers', async () => {
    const headers = [{ key: 'h', value: null }];
    const driver = await stepping(async (record, context) => {
      await context.forward(record);
      await context.forward(record.withValue(`${record.key}:${record.value}`).withTimestamp(7).withHeaders(headers));
    });
    await driver.pipeInput('in', { key: 'k', value: 'v', timestampMs: 3 });

    expect(driver.readOutputs('out', text)).toMatchObject([
      { key: 'k', value: 'v', timestampMs: 3 },
      { key: 'k', value: 'k:v', timestampMs: 7, headers },
    ]);
  });

  it('asks for stores, times and the place of the record as any processor does', async () => {
    const driver = await stepping(async (record, context) => {
      const seen = context.getStateStore<KeyValueStore<string, number>>('seen');
      await seen.put(record.key, record.timestampMs);
      const { topic, offset } = context.recordMetadata() ?? {};
      const times = `${context.currentStreamTimeMs()} ${context.currentSystemTimeMs()}`;
      await context.forward(record.withValue(`${context.applicationId} ${context.taskId} ${topic}@${offset} ${times}`));
    });
    await driver.pipeInput('in', { key: 'k', value: 'v', timestampMs: 3 });

    expect(driver.readOutput('out', text)?.value).toBe('app 0_0 in@0 3 0');
    expect(await driver.getStore<KeyValueStore<string, number>>('seen').get('k')).toBe(3);
  });

  it('may forward a record later, from a timer', async () => {
    const kept: Text[] = [];
    const driver = await driverOf(() => ({
      init(context) {
        context.schedule('1s', 'wallClockTime', async () => {
          for (const record of kept.splice(0)) await context.forward(record.withValue('later'));
        });
      },
      process: (record) => void kept.push(record),
    }));
    await driver.pipeInput('in', { key: 'k', value: 'v' });
    await driver.advanceWallClockTime('1s');

    expect(driver.readOutputs('out', text)).toMatchObject([{ key: 'k', value: 'later' }]);
  });

  it.each<[string, Step]>([
    [
      'another key',
      (record, context) =>
        context.forward((record as unknown as StreamRecord<string, string>).withKey('other') as never),
    ],
    [
      'an equal key',
      (record, context) => context.forward((record as unknown as StreamRecord<string, string>).withKey('k') as never),
    ],
    [
      'a record of its own',
      (_, context) => context.forward(StreamRecord.of({ key: 'k', value: 'v', timestampMs: 1 }) as never),
    ],
  ])('is refused %s, by the name of its node', async (_, step) => {
    const driver = await stepping(step);

    await expect(driver.pipeInput('in', { key: 'k', value: 'v' })).rejects.toMatchObject({
      code: 'STREAMS_PROCESSING_FAILED',
      message: expect.stringContaining('node keeps'),
    });
  });

  it('is one object for each task: one that tasks would share is refused', () => {
    const shared: FixedKeyProcessor<string, string> = { process: () => undefined };
    const builder = new StreamsBuilder();
    builder.stream('in', text).processValues(() => shared, { name: 'shared' });

    expect(() => builder.build()).toThrow("processor 'shared': its supplier gives the same object again");
  });

  it('needs a function that makes it', () => {
    const stream = new StreamsBuilder().stream('in', text);

    expect(() => stream.processValues({ process: () => undefined } as never)).toThrow('processValues needs a supplier');
  });
});
