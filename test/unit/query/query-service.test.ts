import { beforeEach, describe, expect, it } from 'vitest';
import type { MemoryLog } from '../../../lib/log/memory/memory-log.js';
import { offset } from '../../../lib/model/offset.js';
import { taskId } from '../../../lib/model/task-id.js';
import { QueryService, queryKey } from '../../../lib/query/query-service.js';
import { runStandby } from '../../../lib/runtime/run-standby.js';
import {
  countsOf,
  createTaskWorld,
  feedWords,
  STORE,
  someWords,
  startTask,
  stopTask,
  type TaskWorld,
  untilCommitted,
} from '../../support/task-world.js';

const PARTITIONS = 2;
/** Kafka's default of `delete.retention.ms`. */
const DELETE_RETENTION_MS = 86_400_000;
const words = someWords(300);
let world: TaskWorld;

async function countAll(given: readonly string[], incarnation = 1): Promise<void> {
  await feedWords(world, given);
  const tasks = [];
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    tasks.push(await startTask(world, { taskId: taskId(0, partition), incarnation }));
  }
  await untilCommitted(world);
  for (const task of tasks) await stopTask(task);
}

const restores = () => world.events.filter(({ event }) => event === 'restore-finished').length;

beforeEach(async () => {
  world = await createTaskWorld({
    partitions: PARTITIONS,
    settings: { snapshotMinRecords: 1, numStandbyReplicas: 1, restoreStallTimeoutMs: 200 },
  });
  await countAll(words);
});

describe('a query', () => {
  it('finds every key in the partition where its task put it', async () => {
    const service = new QueryService(world);

    const found = new Map<string, unknown>();
    for (const word of countsOf(words).keys()) found.set(word, (await service.get(STORE, word)).value);

    expect(found).toEqual(countsOf(words));
  });

  it('says as of which offset it is, and that a key is not there', async () => {
    const answer = await queryKey({ ...world, store: STORE, key: 'nobody' });

    expect(answer).toMatchObject({ found: false, value: null, timestampMs: null });
    expect(answer.asOf).toMatchObject({ topic: `app-${STORE}-changelog`, nextOffset: expect.any(Number) });
  });

  it('is the same from a snapshot and its tail', async () => {
    await runStandby({ app: world.app, ports: world.ports, taskIds: [taskId(0, 0), taskId(0, 1)] });
    await countAll(['w1', 'w1'], 2);

    const answer = await queryKey({ ...world, store: STORE, key: 'w1' });

    expect(answer.value).toBe((countsOf(words).get('w1') ?? 0) + 2);
    expect(world.events.filter(({ event }) => event === 'restore-started').at(-1)?.fields.mode).toBe('snapshot+tail');
  });

  it('holds what was committed when it came, though the log is compacted before it is read', async () => {
    const { ports, app } = world;
    const topic = `app-${STORE}-changelog`;
    const asked = [...countsOf(words).keys()][0] ?? '';
    let isWritten = false;
    const writeAgain = async () => {
      await countAll([asked], 2); // beyond the end that the question has seen,
      await (ports.log as MemoryLog).compact(topic); // and what it was before is gone
    };
    const behind = new Proxy(ports.log, {
      get: (log, property) => {
        if (property !== 'fetch') return Reflect.get(log, property);
        return async (...args: Parameters<typeof log.fetch>) => {
          if (!isWritten) await writeAgain();
          isWritten = true;
          return log.fetch(...args);
        };
      },
    });

    const answer = await queryKey({ app, ports: { ...ports, log: behind }, store: STORE, key: asked });

    expect(answer.value).toBeGreaterThanOrEqual(countsOf(words).get(asked) ?? 0);
  });

  it('sees what was committed since the question before, and reads only that', async () => {
    const service = new QueryService(world);
    await service.get(STORE, 'w1');
    await countAll(['w1'], 2);
    const before = restores();

    const answer = await service.get(STORE, 'w1');

    expect(answer.value).toBe((countsOf(words).get('w1') ?? 0) + 1);
    expect(restores()).toBe(before);
  });

  it('loads anew what it last knew to be the end longer ago than deletes are kept: the log may have dropped one since', async () => {
    let laterMs = 0;
    const { host } = world.ports;
    const clock = { ...host.clock, now: () => host.clock.now() + laterMs, monotonic: () => host.clock.monotonic() };
    const ports = { ...world.ports, host: { ...host, clock: { ...clock, sleep: host.clock.sleep.bind(host.clock) } } };
    const service = new QueryService({ app: world.app, ports });
    await service.get(STORE, 'w1');
    await countAll(['w1'], 2);
    const before = restores();
    laterMs = DELETE_RETENTION_MS; // the environment stood still: its monotonic clock has not moved

    expect((await service.get(STORE, 'w1')).value).toBe((countsOf(words).get('w1') ?? 0) + 1);
    expect(restores()).toBe(before + 1);
  });

  it('may answer from memory what is young enough', async () => {
    const service = new QueryService(world);
    const before = await service.get(STORE, 'w1');
    await countAll(['w1'], 2);

    const stale = await service.get(STORE, 'w1', { maxStalenessMs: 60_000 });
    const fresh = await service.get(STORE, 'w1', {
      maxStalenessMs: 60_000,
      atLeast: offset(before.asOf.nextOffset + 1),
    });

    expect(stale).toEqual(before);
    expect(fresh.value).toBe(Number(before.value) + 1);
  });

  it('waits for the position it was asked for, and no longer than the log may stand still', async () => {
    const beyond = queryKey({ ...world, store: STORE, key: 'w1', atLeast: offset(1_000_000) });

    await expect(beyond).rejects.toMatchObject({ code: 'STREAMS_RESTORE_STALLED' });
  });

  it('answers many questions at once, each exactly as of its offset', async () => {
    const service = new QueryService(world);

    const answers = await Promise.all(Array.from({ length: 20 }, () => service.get(STORE, 'w1')));

    expect(new Set(answers.map(({ value }) => value)).size).toBe(1);
  });

  it('reads a changelog anew that was deleted and created again', async () => {
    const service = new QueryService(world);
    await service.get(STORE, 'w1');
    await world.ports.log.deleteTopic(`app-${STORE}-changelog`);
    await world.ports.log.createTopic({
      name: `app-${STORE}-changelog`,
      partitions: PARTITIONS,
      config: { 'cleanup.policy': 'compact' },
    });

    expect((await service.get(STORE, 'w1')).found).toBe(false);
  });

  it.each([
    ['an unknown store', 'nowhere', 'w1'],
    ['a key of another type', STORE, Symbol('w1')],
    ['no key', STORE, null],
  ])('is refused for %s', async (_, store, key) => {
    await expect(queryKey({ ...world, store, key })).rejects.toMatchObject({ code: 'STREAMS_QUERY_REFUSED' });
  });
});
