import { expect, test } from 'vitest';
import { RecordSetBuilder } from '../../lib/model/record-set-builder.js';
import { taskId } from '../../lib/model/task-id.js';
import type { ProcessorContext } from '../../lib/processor/processor-context.js';
import type { StreamRecord } from '../../lib/processor/stream-record.js';
import { queryKey } from '../../lib/query/query-service.js';
import { runStandby } from '../../lib/runtime/run-standby.js';
import { string } from '../../lib/serde/string-serde.js';
import { createMemorySnapshotStore } from '../../lib/snapshots/memory/memory-snapshot-store.js';
import type { VersionedKeyValueStore, WindowStore } from '../../lib/state/state-store.js';
import type { StoreSpec } from '../../lib/topology/store-spec.js';
import type { Topology } from '../../lib/topology/topology.js';
import { TopologyBuilder } from '../../lib/topology/topology-builder.js';
import { versionedStore, windowStore } from '../../lib/topology/windowed-stores.js';
import { contentOf, restored } from '../support/restored-store.js';
import {
  createTaskWorld,
  INPUT,
  OUTPUT,
  STORE,
  startTask,
  stopTask,
  type TaskWorld,
  untilCommitted,
} from '../support/task-world.js';

const RETENTION_MS = 60_000;
const serdes = { key: string(), value: string() };
type Put = VersionedKeyValueStore<string, string>['put'] | WindowStore<string, string>['put'];

/** Puts each record under its timestamp; a value `-` deletes. */
function putting(store: StoreSpec): Topology {
  const supplier = () => {
    let put: Put;
    return {
      init(context: ProcessorContext) {
        const opened = context.getStateStore<VersionedKeyValueStore<string, string>>(STORE);
        put = opened.put.bind(opened);
      },
      async process({ key, value, timestampMs }: StreamRecord<string, string>) {
        await put(key, value === '-' ? null : value, timestampMs);
      },
    };
  };
  return new TopologyBuilder()
    .addSource('source', INPUT, serdes)
    .addProcessor('put', supplier, { parents: 'source' })
    .addStateStore(store, 'put')
    .addSink('sink', OUTPUT, { parents: 'put', ...serdes })
    .build();
}

/** Runs the task over records, and then the standby. */
async function process(world: TaskWorld, records: readonly (readonly [string, string, number])[]): Promise<void> {
  const builder = new RecordSetBuilder();
  for (const [key, value, timestampMs] of records) builder.append(Buffer.from(key), Buffer.from(value), timestampMs);
  await world.ports.log.append({ topic: INPUT, partition: 0 }, builder.build());
  const task = await startTask(world);
  await untilCommitted(world);
  await stopTask(task);
  await runStandby({ app: world.app, ports: world.ports, taskIds: [taskId(0, 0)] });
}

test.each([
  ['versions', versionedStore({ ...serdes, name: STORE, historyRetention: RETENTION_MS })],
  ['windows', windowStore({ ...serdes, name: STORE, retention: RETENTION_MS, windowSize: 1_000 })],
])(
  '%s that a standby has written restore as the whole changelog does, with what came too late in its tail',
  async (_, store) => {
    const world = await createTaskWorld({
      topology: putting(store),
      settings: { snapshotMinRecords: 1, numStandbyReplicas: 1 },
    });
    const nowMs = world.ports.host.clock.now();

    await process(world, [
      ['a', '1', nowMs],
      ['b', '1', nowMs],
      ['a', '2', nowMs + 5 * RETENTION_MS],
    ]);
    await process(world, [
      ['b', 'too late', nowMs + RETENTION_MS],
      ['c', '1', nowMs + 5 * RETENTION_MS],
      ['c', '-', nowMs + 5 * RETENTION_MS + 1],
    ]);

    const [fromSnapshot, fromLog] = [await restored(world), await restored(world, createMemorySnapshotStore())];
    expect([fromSnapshot.mode, fromLog.mode]).toEqual(['snapshot+tail', 'log']);
    expect(contentOf(fromSnapshot.store)).toEqual(contentOf(fromLog.store));
    expect(contentOf(fromLog.store).map(([, value]) => Buffer.from(String(value), 'hex').toString())).not.toContain(
      'too late',
    );
  },
);

test('a query by plain key is refused for a store whose keys are more than that', async () => {
  const store = versionedStore({ ...serdes, name: STORE, historyRetention: RETENTION_MS });
  const world = await createTaskWorld({ topology: putting(store) });

  await expect(queryKey({ ...world, store: STORE, key: 'a' })).rejects.toMatchObject({ code: 'STREAMS_QUERY_REFUSED' });
});
