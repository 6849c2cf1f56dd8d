import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Processor } from '../../../lib/processor/processor.js';
import type { ProcessorContext } from '../../../lib/processor/processor-context.js';
import type { StreamRecord } from '../../../lib/processor/stream-record.js';
import { string } from '../../../lib/serde/string-serde.js';
import type { SessionStore, VersionedKeyValueStore, WindowStore } from '../../../lib/state/state-store.js';
import { defineApp } from '../../../lib/topology/app.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';
import { sessionStore, versionedStore, windowStore } from '../../../lib/topology/windowed-stores.js';
import { type CutInput, cutRun } from '../../support/cut-run.js';
import { listed } from '../../support/windowed-stores.js';

const RETENTION_MS = 100;

/** Writes every record to a store of each kind (a value `-` deletes), and forwards all that it then reads. */
class Witness implements Processor<string, string, string, string> {
  private context!: ProcessorContext<string, string>;

  init(context: ProcessorContext<string, string>): void {
    this.context = context;
  }

  async process(record: StreamRecord<string, string>): Promise<void> {
    const { key, timestampMs } = record;
    const value = record.value === '-' ? null : record.value;
    const windows = this.context.getStateStore<WindowStore<string, string>>('windows');
    const joined = this.context.getStateStore<WindowStore<string, string>>('joined');
    const sessions = this.context.getStateStore<SessionStore<string, string>>('sessions');
    const versions = this.context.getStateStore<VersionedKeyValueStore<string, string>>('versions');
    await windows.put(key, value, timestampMs);
    await joined.put(key, value, timestampMs);
    await sessions.put({ key, window: { startMs: timestampMs, endMs: timestampMs } }, value);
    const put = await versions.put(key, value, timestampMs);
    const seen = [
      await listed(windows.all()),
      await listed(joined.all()),
      await listed(sessions.fetchRange(null, null)),
      put,
      await versions.get(key),
      await versions.get(key, Math.max(0, timestampMs - 1)),
    ];
    await this.context.forward(record.withValue(JSON.stringify(seen)));
  }
}

const serdes = { key: string(), value: string() };
const windows = { ...serdes, windowSize: 10, retention: RETENTION_MS };
const builder = new TopologyBuilder()
  .addSource('in', 'in', serdes)
  .addProcessor('witness', () => new Witness(), { parents: 'in' })
  .addStateStore(windowStore({ ...windows, name: 'windows' }), 'witness')
  .addStateStore(windowStore({ ...windows, name: 'joined', retainDuplicates: true }), 'witness')
  .addStateStore(sessionStore({ ...serdes, name: 'sessions', retention: RETENTION_MS }), 'witness')
  .addStateStore(versionedStore({ ...serdes, name: 'versions', historyRetention: RETENTION_MS }), 'witness')
  .addSink('out', 'out', { parents: 'witness', ...serdes });
const app = defineApp({ applicationId: 'app', topology: builder.build() });

test('windowed stores cut at any record, aborted and restored from a cleaned log, are those of a run in one go (trap 27)', async () => {
  const input: fc.Arbitrary<CutInput> = fc.record({
    topic: fc.constant('in'),
    key: fc.constantFrom('x', 'y'),
    value: fc.constantFrom('1', '2', '-'),
    timestampMs: fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 300_000 })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(input, { maxLength: 14 }), fc.integer({ min: 1, max: 3 }), async (inputs, step) => {
      expect(await cutRun(app, inputs, { step, restart: true })).toEqual(
        await cutRun(app, inputs, { step, restart: false }),
      );
    }),
    { numRuns: 80 },
  );
});
