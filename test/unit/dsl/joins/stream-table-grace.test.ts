import { describe, expect, it } from 'vitest';
import {
  defineApp,
  type FixedKeyProcessor,
  type FixedKeyProcessorContext,
  type FixedKeyRecord,
  StreamsBuilder,
  string,
  TopologyError,
} from '../../../../lib/index.js';
import { heldUpdates } from '../../../../lib/state/held-update.js';
import { TopologyTestDriver } from '../../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };
const joiner = (value: string, row: string | null) => `${value}+${row}`;

/** Gives each record's value the offset at which the record came in. */
class WithOffset implements FixedKeyProcessor<string, string, string> {
  declare private context: FixedKeyProcessorContext<string, string>;

  init(context: FixedKeyProcessorContext<string, string>): void {
    this.context = context;
  }

  process(record: FixedKeyRecord<string, string>) {
    const { topic, offset } = this.context.recordMetadata() ?? {};
    const tags = record.headers.map(({ key }) => key).join();
    return this.context.forward(record.withValue(`${record.value} of ${topic}@${offset} ${tags}`.trim()));
  }
}

function joined(kind: 'join' | 'leftJoin', grace = 10, isAsync = false): StreamsBuilder {
  const builder = new StreamsBuilder();
  const table = builder.table('rows', { ...text, store: 'rows', historyRetention: 100 });
  const stream = builder.stream('in', text);
  const slow = async (value: string, row: string | null) => joiner(value, row);
  const options = { joiner: isAsync ? slow : joiner, grace, name: 'j' };
  (kind === 'join' ? stream.join(table, options) : stream.leftJoin(table, options)).to('out');
  return builder;
}

async function driverOf(builder: StreamsBuilder): Promise<TopologyTestDriver> {
  return TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));
}

describe('a stream that waits for a table', () => {
  it.each([false, true])(
    'is joined in the order of time with rows of that time, late ones too (async: %s)',
    async (isAsync) => {
      const driver = await driverOf(joined('join', 10, isAsync));
      await driver.pipeInput('rows', { key: 'k', value: 'old', timestampMs: 0 });
      for (const timestampMs of [20, 15, 15]) {
        await driver.pipeInput('in', { key: 'k', value: `${timestampMs}`, timestampMs });
      }
      await driver.pipeInput('rows', { key: 'k', value: 'new', timestampMs: 18 });
      expect(driver.readOutputs('out', text)).toEqual([]);

      await driver.pipeInput('in', { key: 'k', value: '30', timestampMs: 30 });

      const given = driver.readOutputs('out', text).map(({ value, timestampMs }) => `${value}@${timestampMs}`);
      expect(given).toEqual(['15+old@15', '15+old@15', '20+new@20']);
    },
  );

  it('does not hold a record that is itself later than the grace', async () => {
    const driver = await driverOf(joined('leftJoin'));
    for (const timestampMs of [50, 39])
      await driver.pipeInput('in', { key: 'k', value: `${timestampMs}`, timestampMs });

    expect(driver.readOutputs('out', text).map(({ value }) => value)).toEqual(['39+null']);
  });

  it('joins a record without key at once in a left join, and drops it in an inner one', async () => {
    const left = await driverOf(joined('leftJoin'));
    const inner = await driverOf(joined('join'));
    for (const driver of [left, inner]) await driver.pipeInput('in', { key: null, value: 'v', timestampMs: 1 });

    expect(left.readOutputs('out', text).map(({ value }) => value)).toEqual(['v+null']);
    expect(inner.readOutputs('out', text)).toEqual([]);
  });

  it('gives records on as those which came in: with their headers and origin', async () => {
    const builder = new StreamsBuilder();
    const table = builder.table('rows', { ...text, store: 'rows', historyRetention: 100 });
    builder
      .stream('in', text)
      .leftJoin(table, { joiner, grace: 5 })
      .processValues(() => new WithOffset())
      .to('out');
    const driver = await driverOf(builder);
    const headers = [{ key: 'tag', value: null }];
    await driver.pipeInput('in', { key: 'k', value: 'first', timestampMs: 1, headers });
    await driver.pipeInput('in', { key: 'k', value: 'second', timestampMs: 10 });

    expect(driver.readOutputs('out', text).map(({ value }) => value)).toEqual(['first+null of in@0 tag']);
  });

  it('keeps what waits in a changelog of Kafka’s keys: a zero byte, time, key and number', async () => {
    const driver = await driverOf(joined('join'));
    await driver.pipeInput('in', { key: 'k', value: 'v', timestampMs: 258 });

    const [waiting] = driver.readOutputs('app-j-Buffer-changelog', {
      key: { serialize: Buffer.from, deserialize: (bytes: Uint8Array) => Buffer.from(bytes).toString('hex') },
      value: heldUpdates,
    } as never);

    expect(waiting).toMatchObject({ key: '0000000000000001026b00000001', value: { timestampMs: 258, next: 'v' } });
  });

  it('is refused where the table keeps its rows for less than the grace, or keeps no history', () => {
    const builder = new StreamsBuilder();
    const stream = builder.stream('in', text);

    expect(() => joined('join', 101)).toThrow(TopologyError);
    expect(() => stream.join(builder.table('rows', text), { joiner, grace: 1 })).toThrow('KSTREAM-JOIN-');
  });
});
