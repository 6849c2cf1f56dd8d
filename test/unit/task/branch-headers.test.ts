import { expect, it } from 'vitest';
import {
  type Header,
  type Headers,
  type ProcessorContext,
  type ProcessorSupplier,
  type StreamRecord,
  string,
  TopologyBuilder,
} from '../../../lib/index.js';
import { at, startTask } from './task-rig.js';

const text = { key: string(), value: string() };
type Change = (headers: Header[]) => void;

/** Does something to the headers that no TypeScript program may do, and hands the record on. */
function changing(change: Change, child?: string): ProcessorSupplier<string, string, string, string> {
  return () => {
    let context: ProcessorContext<string, string>;
    return {
      init(given) {
        context = given;
      },
      async process(record: StreamRecord<string, string>) {
        change(record.headers as Header[]);
        await context.forward(record, child);
      },
    };
  };
}

const changes: readonly (readonly [string, Change])[] = [
  ['a header that is added', (headers) => void headers.push({ key: 'added', value: null })],
  ['a header that is taken out', (headers) => void headers.pop()],
  ['a header that is replaced', (headers) => void headers.splice(0, 1, { key: 'other', value: null })],
  [
    'a byte that is changed',
    ([header]) => {
      if (header?.value) header.value[0] = 57;
    },
  ],
];

async function headersAfter(builder: TopologyBuilder, topic: string): Promise<readonly Headers[]> {
  const { task, give, commit } = await startTask(builder, { partitionCounts: { changed: 1, sibling: 1 } });
  give('in', [{ key: 'k', value: 'v', headers: [{ key: 'h', value: Buffer.of(1) }] }]);
  await task.process(0, 10);
  const { outputs } = await commit();
  return [...(outputs.get(at(topic)) ?? [])].map(({ headers }) => headers);
}

const AS_READ = [[{ key: 'h', value: new Uint8Array([1]) }]];

it.each(changes)('%s in one branch is not seen by its sibling', async (_, change) => {
  for (const siblingFirst of [false, true]) {
    const builder = new TopologyBuilder().addSource('source', 'in', text);
    const keep = () =>
      builder.addProcessor(
        'keep',
        changing(() => undefined),
        { parents: 'source' },
      );
    if (siblingFirst) keep();
    builder.addProcessor('change', changing(change), { parents: 'source' });
    if (!siblingFirst) keep();
    builder
      .addSink('to-changed', 'changed', { ...text, parents: 'change' })
      .addSink('to-sibling', 'sibling', { ...text, parents: 'keep' });

    expect((await headersAfter(builder, 'sibling')).map(plain)).toEqual(AS_READ);
    expect((await headersAfter(builder, 'changed')).map(plain)).not.toEqual(AS_READ);
  }
});

it.each(changes)('%s by a child that was named is not seen by its sibling', async (_, change) => {
  const toBoth: ProcessorSupplier<string, string, string, string> = () => {
    let context: ProcessorContext<string, string>;
    return {
      init(given) {
        context = given;
      },
      async process(record: StreamRecord<string, string>) {
        await context.forward(record, 'change');
        await context.forward(record, 'keep');
      },
    };
  };
  const builder = new TopologyBuilder()
    .addSource('source', 'in', text)
    .addProcessor('both', toBoth, { parents: 'source' })
    .addProcessor('change', changing(change), { parents: 'both' })
    .addProcessor(
      'keep',
      changing(() => undefined),
      { parents: 'both' },
    )
    .addSink('to-changed', 'changed', { ...text, parents: 'change' })
    .addSink('to-sibling', 'sibling', { ...text, parents: 'keep' });

  expect((await headersAfter(builder, 'sibling')).map(plain)).toEqual(AS_READ);
});

function plain(headers: Headers): readonly unknown[] {
  return headers.map(({ key, value }) => ({ key, value: value === null ? null : new Uint8Array(value) }));
}
