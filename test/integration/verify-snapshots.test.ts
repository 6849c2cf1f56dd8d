import { beforeEach, describe, expect, it } from 'vitest';
import type { ByteKey } from '../../lib/model/byte-key.js';
import { offset } from '../../lib/model/offset.js';
import { taskId } from '../../lib/model/task-id.js';
import { verifySnapshot } from '../../lib/runtime/verify-snapshot.js';
import { listManifests } from '../../lib/snapshots/list-manifests.js';
import type { Manifest } from '../../lib/snapshots/manifest.js';
import { readManifest } from '../../lib/snapshots/open-snapshot.js';
import { writeSnapshot } from '../../lib/snapshots/write-snapshot.js';
import { CHANGELOG, restored } from '../support/restored-store.js';
import {
  createTaskWorld,
  feedWords,
  STORE,
  startTask,
  stopTask,
  type TaskWorld,
  untilCommitted,
} from '../support/task-world.js';
import { waitFor } from '../support/wait-for.js';

const WORDS = Array.from({ length: 300 }, (_, number) => `word-${number}`);
let world: TaskWorld;
let manifest: Manifest;

/** A store with a snapshot, and a tail after it. */
beforeEach(async () => {
  world = await createTaskWorld({
    settings: { snapshotMinRecords: 10, snapshotIntervalMs: 600_000 },
  });
  await feedWords(world, WORDS);
  const task = await startTask(world);
  await untilCommitted(world);
  const found = await waitFor('a snapshot', async () => (await newest())[0]);
  await feedWords(world, ['word-1', 'one-more']);
  await untilCommitted(world);
  await stopTask(task);
  manifest = await readManifest(world.ports.snapshots, world.ports.host, found.name);
});

async function newest() {
  const topicId = (await world.ports.log.describeTopics([CHANGELOG.topic])).get(CHANGELOG.topic)?.topicId ?? '';
  const identity = { applicationId: world.app.applicationId, taskId: taskId(0, 0), store: STORE, topicId };
  return listManifests(world.ports.snapshots, identity, 10);
}

function verify() {
  const { app, ports } = world;
  const changelog = { ...CHANGELOG, store: STORE, internal: true };
  return verifySnapshot({ app, ports, logger: ports.host.logger, taskId: taskId(0, 0), changelog });
}

describe('the verification of a snapshot', () => {
  it('says that snapshot and tail come to what the log does', async () => {
    const verdict = await verify();

    expect(verdict).toMatchObject({ store: STORE, verdict: 'equal', differences: 0, entries: 301, refused: [] });
    expect(verdict.snapshotOffset).toBe(manifest.nextOffset);
    expect(verdict.comparedOffset).toBeGreaterThan(manifest.nextOffset);
    expect(verdict.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('names keys that are missing, too many or other than in the log', async () => {
    const { store } = await restored(world);
    const entries = [...store.committed()]
      .map(({ key, value, timestampMs }) => ({
        key: key === 'word-6' ? ('word-6x' as ByteKey) : key,
        value: key === 'word-5' ? Buffer.alloc(8, 7) : value,
        timestampMs,
      }))
      .sort((one, other) => (one.key < other.key ? -1 : 1));
    const { snapshots, host } = world.ports;
    const { applicationId, taskId: id, topicId } = manifest;
    await writeSnapshot({
      ...{ store: snapshots, host, changelog: CHANGELOG, writer: 'wrong', entries, lastKnownEndAtMs: host.clock.now() },
      identity: { applicationId, taskId: id, store: STORE, topicId },
      nextOffset: offset(manifest.nextOffset + 1),
    });

    const { verdict, differences, examples } = await verify();

    expect([verdict, differences]).toEqual(['different', 3]);
    expect(examples).toEqual([
      { key: "'word-5'", what: 'value' },
      { key: "'word-6'", what: 'missing' },
      { key: "'word-6x'", what: 'extra' },
    ]);
  });

  it('says of a snapshot with a broken block that it is damaged', async () => {
    const name = manifest.segments[0]?.name ?? '';
    const bytes = Buffer.from((await world.ports.snapshots.read(name)) ?? []);
    bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
    await world.ports.snapshots.remove(name);
    await world.ports.snapshots.create(name, bytes);

    expect((await verify()).verdict).toBe('damaged');
  });

  it('has nothing to say where there is no snapshot', async () => {
    for (const { name } of await newest()) await world.ports.snapshots.remove(name);

    expect(await verify()).toMatchObject({ verdict: 'none', snapshotOffset: null });
  });
});
