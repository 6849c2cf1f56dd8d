import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type KeyValueStore,
  keyValueStore,
  type Processor,
  type ProcessorContext,
  StreamRecord,
  StreamsBuilder,
  string,
} from '../../../lib/index.js';
import type { Topology } from '../../../lib/topology/topology.js';
import { type CutInput, cutRun, uncachedApp } from '../../support/cut-run.js';

const text = { key: string(), value: string() };

/** Passes on what it has not seen for as long as its store keeps it. */
class DropSeen implements Processor<string, string, string, string> {
  declare private context: ProcessorContext<string, string>;
  declare private seen: KeyValueStore<string, string>;

  init(context: ProcessorContext<string, string>): void {
    this.context = context;
    this.seen = context.getStateStore('seen');
  }

  async process(record: StreamRecord<string, string>): Promise<void> {
    if ((await this.seen.get(record.value)) !== null) return;
    await this.seen.put(record.value, record.key);
    await this.context.forward(StreamRecord.of({ ...record, key: record.key, value: `new ${record.value}` }));
  }
}

function topologyOf(ttl: number): Topology {
  const builder = new StreamsBuilder();
  const table = builder.table('rows', { ...text, store: 'rows', ttl });
  table.toStream().to('out');
  const counts = builder
    .stream('in', text)
    .groupByKey()
    .count({ store: 'counts', ttl: ttl * 2 });
  counts
    .toStream()
    .mapValues((count) => `${count}`, { value: string() })
    .to('out');
  builder
    .stream('looks', text)
    .leftJoin(table, { joiner: (own, row) => `${own}+${row}` })
    .to('out');
  table
    .outerJoin(counts, { joiner: (own, count) => `${own}&${count}`, value: string() })
    .toStream()
    .to('out');
  builder.addStateStore(keyValueStore({ name: 'seen', ...text, ttl }));
  builder
    .stream('looks', text)
    .process(() => new DropSeen(), { stores: ['seen'], ...text })
    .to('out');
  builder
    .stream('looks', text)
    .leftJoin(counts, { joiner: (own, count) => `${own}#${count}` })
    .to('out');
  return builder.build();
}

const inputs = fc.array(
  fc.record({
    topic: fc.constantFrom('rows', 'in', 'looks'),
    key: fc.constantFrom('x', 'y', 'z'),
    value: fc.constantFrom('1', '2'),
    timestampMs: fc.nat({ max: 120 }),
  }),
  { maxLength: 24 },
);

test('stores whose entries end, cut at any record, aborted and restored from a cleaned log, are those of a run in one go (trap 27)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      inputs,
      fc.integer({ min: 1, max: 3 }),
      async (ttl, given, step) => {
        const topology = topologyOf(ttl);
        const records: readonly CutInput[] = given;
        const cut = await cutRun(uncachedApp(topology), records, { step: step, restart: true });

        expect(cut).toEqual(await cutRun(uncachedApp(topology), records, { step: step, restart: false }));
        expect(cut.written).toEqual(
          (await cutRun(uncachedApp(topology), records, { step: 100, restart: false })).written,
        );
      },
    ),
    { numRuns: 120 },
  );
});
