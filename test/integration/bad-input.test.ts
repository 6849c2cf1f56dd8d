import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { defineApp, json, type SettingsInput, StreamsBuilder, StreamsError, string } from '../../lib/index.js';
import { LocalStreams, type LocalStreamsOptions, offset, RecordSetBuilder } from '../../lib/local/index.js';
import { type LoggedEvent, listeningLogger } from '../support/listening-logger.js';
import { waitFor } from '../support/wait-for.js';

const QUICK: SettingsInput = {
  heartbeatIntervalMs: 50,
  sessionTimeoutMs: 500,
  tickIntervalMs: 50,
  commitIntervalMs: 20,
  pollMs: 50,
  idleTimeoutMs: 0,
  members: 1,
};

let dir: string;
const running: LocalStreams[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'millrace-bad-input-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((streams) => streams.close()));
  rmSync(dir, { recursive: true, force: true });
});

type Value = (value: unknown) => unknown;

function copyingApp(mapper: Value = (value) => value, settings: SettingsInput = {}) {
  const builder = new StreamsBuilder();
  builder.stream('in', { key: string(), value: json<unknown>() }).mapValues(mapper).to('out');
  return defineApp({ applicationId: 'copy', topology: builder.build(), settings: { ...QUICK, ...settings } });
}

async function start(options: Partial<LocalStreamsOptions> & { partitions?: number } = {}): Promise<LocalStreams> {
  const { partitions = 2, ...rest } = options;
  const streams = await LocalStreams.start({
    app: copyingApp(),
    host: createNodeHost({ logger: listeningLogger([]) }),
    topics: [
      { name: 'in', partitions, config: {} },
      { name: 'out', partitions: 1, config: {} },
    ],
    ...rest,
  });
  running.push(streams);
  return streams;
}

async function refusalOf(options: Parameters<typeof start>[0]): Promise<StreamsError> {
  const thrown = await start(options).then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof StreamsError)) throw thrown ?? new Error('it started');
  return thrown;
}

async function feed({ log }: LocalStreams, partition: number, ...values: readonly string[]): Promise<void> {
  const builder = new RecordSetBuilder();
  for (const value of values) builder.append(Buffer.from('k'), Buffer.from(value), 1_000);
  await log.append({ topic: 'in', partition }, builder.build());
}

async function read({ log }: LocalStreams, topic: string): Promise<readonly string[]> {
  const [result] = await log.fetch([{ topic, partition: 0, fromOffset: offset(0) }], {
    isolation: 'readCommitted',
    maxWaitMs: 0,
    maxBytes: 1_000_000,
  });
  return [...(result?.records ?? [])].map(({ value }) => Buffer.from(value ?? []).toString());
}

function filesIn(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !name.includes('lock-'));
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name);
      try {
        return [name, readFileSync(path, 'latin1')];
      } catch {
        return [name, 'a folder'];
      }
    }),
  );
}

describe('a partition count', () => {
  it('that is given otherwise at a restart is refused before anything is written', async () => {
    await (await start({ dir })).close();
    const before = filesIn(dir);

    const refusal = await refusalOf({ dir, partitions: 3 });

    expect(refusal.code).toBe('STREAMS_PARTITION_COUNT_CHANGED');
    expect(refusal.details).toMatchObject({ topic: 'in', recorded: 2, wanted: 3 });
    expect(filesIn(dir)).toEqual(before);
  });

  it('is remembered over a restart, though the topic was made anew meanwhile', async () => {
    const first = await start({ dir });
    await waitFor('a plan', async () => (await first.state()).plan !== null);
    await first.log.deleteTopic('in');
    await first.log.createTopic({ name: 'in', partitions: 4, config: {} });
    await first.close();

    const refusal = await refusalOf({ dir, topics: [] });

    expect(refusal.code).toBe('STREAMS_PARTITION_COUNT_CHANGED');
    expect(refusal.details).toMatchObject({ topic: 'in', recorded: 2, found: 4 });
  });

  it('that was remembered in a damaged file is not taken for none', async () => {
    await (await start({ dir })).close();
    const path = join(dir, 'plan.json');
    const whole = readFileSync(path, 'utf8');

    for (const damaged of [whole.replace('"in":2', '"in":3'), whole.slice(0, -5), '']) {
      writeFileSync(path, damaged);
      expect((await refusalOf({ dir })).code).toBe('STREAMS_INVALID_FOLDER');
    }
    writeFileSync(path, whole);
    await feed(await start({ dir }), 0, '1');
  });
});

describe('a folder', () => {
  it('is refused to a second system, and goes on after the first has closed it', async () => {
    const first = await start({ dir });
    await feed(first, 0, '1');
    await waitFor('the output', async () => (await read(first, 'out')).length === 1);

    const refusal = await refusalOf({ dir });
    await first.close();
    const second = await start({ dir });
    await feed(second, 1, '2');

    expect(refusal.code).toBe('STREAMS_INVALID_FOLDER');
    await waitFor('the output', async () => (await read(second, 'out')).join() === '1,2');
  });

  it('is free again when the start failed after it was taken', async () => {
    writeFileSync(join(dir, 'snapshots'), 'a file');
    expect((await refusalOf({ dir })).code).toBe('STREAMS_INVALID_FOLDER');
    rmSync(join(dir, 'snapshots'));

    expect((await start({ dir })).members).toBe(1);
  });

  it('without a name, or with a number for one, is refused', async () => {
    expect((await refusalOf({ dir: '' })).code).toBe('STREAMS_INVALID_FOLDER');
    expect((await refusalOf({ dir: 5 as unknown as string })).code).toBe('STREAMS_INVALID_FOLDER');
  });
});

describe('a record that can not be read', () => {
  it('stops its task and says where the record is, while the others go on', async () => {
    const events: LoggedEvent[] = [];
    const streams = await start({
      app: copyingApp(undefined, { uncaughtExceptionHandler: 'replaceThread' }),
      host: createNodeHost({ logger: listeningLogger(events) }),
    });

    await feed(streams, 0, '{broken');
    await feed(streams, 1, '1');

    await waitFor('the output', async () => (await read(streams, 'out')).join() === '1');
    await waitFor('the failure', async () => events.some(({ event }) => event === 'task-failed'));
    expect(events.find(({ event }) => event === 'task-failed')?.fields).toMatchObject({
      code: 'STREAMS_DESERIALIZATION_FAILED',
      details: { topic: 'in', partition: 0, offset: 0 },
    });
  });

  it('needs its dead-letter topic from the start', async () => {
    const settings: SettingsInput = { deserializationExceptionHandler: { deadLetterTopic: 'dead' } };

    const refusal = await refusalOf({ app: copyingApp(undefined, settings) });

    expect([refusal.code, refusal.details.topic]).toEqual(['STREAMS_INVALID_SETTING', 'dead']);
  });

  it('goes to the dead-letter topic with the offsets that pass it', async () => {
    const settings: SettingsInput = { deserializationExceptionHandler: { deadLetterTopic: 'dead' } };
    const topics = ['in', 'out', 'dead'].map((name) => ({ name, partitions: 1, config: {} }));
    const streams = await start({ app: copyingApp(undefined, settings), topics });

    await feed(streams, 0, '1', '{broken', '2');

    await waitFor('the end', () => streams.isCaughtUp());
    expect(await read(streams, 'dead')).toEqual(['{broken']);
    expect(await read(streams, 'out')).toEqual(['1', '2']);
  });
});

describe('user code', () => {
  it('that never ends is given up when the system closes', async () => {
    const real = createNodeHost({ logger: listeningLogger([]) });
    const hurried = { ...real.clock, sleep: (ms: number, signal?: AbortSignal) => real.clock.sleep(ms / 20, signal) };
    const app = copyingApp(() => new Promise(() => {}));
    let streams: LocalStreams | null = await start({
      app,
      dir,
      host: { ...real, clock: { ...real.clock, ...hurried } },
    });
    await feed(streams, 0, '1');
    await real.clock.sleep(300);

    await streams.close();
    streams = await start({ dir });

    const again = streams;
    await waitFor('the output', async () => (await read(again, 'out')).join() === '1');
  });

  it('whose record is too large stops its task with the topic and the key (trap 35)', async () => {
    const events: LoggedEvent[] = [];
    const app = copyingApp((value) => (value === 1 ? 'x'.repeat(2_000_000) : value));
    const streams = await start({ app, host: createNodeHost({ logger: listeningLogger(events) }) });

    await feed(streams, 0, '1');

    await waitFor('the failure', async () => events.some(({ event }) => event === 'task-failed'));
    expect(events.find(({ event }) => event === 'task-failed')?.fields).toMatchObject({
      code: 'STREAMS_RECORD_TOO_LARGE',
      details: { topic: 'out', key: "'k'" },
    });
  });

  it('whose aggregate outgrows its changelog stops its task once, with the store and the key (trap 35)', async () => {
    const events: LoggedEvent[] = [];
    const builder = new StreamsBuilder();
    builder
      .stream('in', { key: string(), value: json<number>() })
      .groupByKey()
      .aggregate({ init: () => '', add: (_, size, all) => all + 'x'.repeat(size), store: 'all', value: string() });
    const app = defineApp({ applicationId: 'grow', topology: builder.build(), settings: QUICK });
    const streams = await start({ app, host: createNodeHost({ logger: listeningLogger(events) }) });

    await feed(streams, 0, '600000');
    await waitFor('the first to be counted', () => streams.isCaughtUp());
    await feed(streams, 0, '600000');
    const failed = await waitFor('the failure', async () => events.find(({ event }) => event === 'task-failed'));

    expect(failed.fields).toMatchObject({
      code: 'STREAMS_RECORD_TOO_LARGE',
      details: { store: 'all', key: "'k'" },
    });
    expect(events.filter(({ event }) => event === 'task-recovering')).toEqual([]);
  });
});
