import { expect, test } from 'vitest';
import {
  defineApp,
  type KeyValueStore,
  keyValueStore,
  type Processor,
  type ProcessorContext,
  type Serde,
  type StreamRecord,
  StreamsBuilder,
  string,
} from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };

/** A serde of one's own in JavaScript. */
const answering = (answer: unknown): Serde<string> => ({
  serialize: () => answer as Uint8Array,
  deserialize: (bytes) => Buffer.from(bytes).toString(),
});

/** What a record of the topology comes to. */
async function thrownBy(builder: StreamsBuilder): Promise<unknown> {
  const driver = await TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));
  return driver.pipeInput('in', { key: 'k', value: 'v', timestampMs: 5 }).catch((error: unknown) => error);
}

const answers: [what: string, answer: unknown, named: string][] = [
  ['a promise', Promise.resolve(Buffer.from('v')), 'an object'],
  ['text', 'v', 'a string'],
  ['nothing', undefined, 'undefined'],
];

test.each(answers)('a serde that answers %s is refused at a sink, not written', async (_, answer, named) => {
  const builder = new StreamsBuilder();
  builder.stream('in', text).to('out', { value: answering(answer) });

  const thrown = await thrownBy(builder);

  expect(thrown).toMatchObject({ code: 'STREAMS_SERIALIZATION_FAILED', details: { sinkTopic: 'out' } });
  expect(String(thrown)).toContain(`serialize answered ${named}`);
});

test.each(answers)('a serde that answers %s is refused by the store of a table', async (_, answer, named) => {
  const builder = new StreamsBuilder();
  builder
    .stream('in', text)
    .groupByKey()
    .aggregate({ init: () => '', add: (_key, value) => value, value: answering(answer), store: 'last' });

  const thrown = await thrownBy(builder);

  expect(thrown).toMatchObject({ code: 'STREAMS_SERIALIZATION_FAILED', details: { store: 'last' } });
  expect(String(thrown)).toContain(`serialize answered ${named}`);
});

class Putting implements Processor<string, string, string, string> {
  declare private kept: KeyValueStore<string, string>;

  init(context: ProcessorContext<string, string>): void {
    this.kept = context.getStateStore('kept');
  }

  process({ key, value }: StreamRecord<string, string>) {
    return this.kept.put(key, value);
  }
}

test.each(['key', 'value'] as const)(
  'a serde that answers a promise is refused for the %s of a store',
  async (side) => {
    const builder = new StreamsBuilder();
    builder.addStateStore(
      keyValueStore({ name: 'kept', ...text, [side]: answering(Promise.resolve(Buffer.alloc(1))) }),
    );
    builder.stream('in', text).process(() => new Putting(), { stores: ['kept'] });

    const thrown = await thrownBy(builder);

    expect(thrown).toMatchObject({ code: 'STREAMS_SERIALIZATION_FAILED', details: { store: 'kept' } });
    expect(String(thrown)).toContain('serialize answered an object');
  },
);

test('what a serde throws is said where it was asked', async () => {
  const builder = new StreamsBuilder();
  const throwing: Serde<string> = {
    ...answering(null),
    serialize() {
      throw new Error('no such currency');
    },
  };
  builder.stream('in', text).to('out', { value: throwing });

  expect(String(await thrownBy(builder))).toContain(
    'topic out: the value does not fit: a string does not fit the serde: no such currency',
  );
});
