import { afterEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../lib/host/host.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import {
  defineApp,
  type KeyValueStore,
  keyValueStore,
  type ProcessorContext,
  type ProcessorSupplier,
  type ReadOnlyKeyValueStore,
  StreamsBuilder,
  string,
  type Topology,
} from '../../../lib/index.js';
import {
  LocalStreams,
  type LocalStreamsOptions,
  type Log,
  offset,
  RecordSetBuilder,
} from '../../../lib/local/index.js';
import { createMemoryLog } from '../../../lib/log/memory/memory-log.js';
import { defaultPartition } from '../../../lib/topology/default-partitioner.js';
import { type LoggedEvent, listeningLogger } from '../../support/listening-logger.js';
import { sleep, waitFor } from '../../support/wait-for.js';

const text = { key: string(), value: string() };
const PARTITIONS = { rows: 6, in: 2, out: 1 };
type Topic = keyof typeof PARTITIONS;
const quick = { heartbeatIntervalMs: 50, sessionTimeoutMs: 500, tickIntervalMs: 50, commitIntervalMs: 10, pollMs: 20 };

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});

interface World {
  readonly host: Host;
  readonly log: Log;
  readonly events: LoggedEvent[];
}

/** A log with the topics, before the application has started. */
async function createWorld(): Promise<World> {
  const events: LoggedEvent[] = [];
  const host = createNodeHost({ logger: listeningLogger(events) });
  const log = await createMemoryLog({ host });
  for (const [name, partitions] of Object.entries(PARTITIONS)) await log.createTopic({ name, partitions, config: {} });
  return { host, log, events };
}

function joined(): Topology {
  const builder = new StreamsBuilder();
  const rows = builder.globalTable('rows', { ...text, store: 'rows' });
  builder
    .stream('in', text)
    .leftJoin(rows, { foreignKey: (_, value) => value, joiner: (value, row) => `${value}=${row}` })
    .to('out');
  return builder.build();
}

async function start(
  { host, log }: World,
  settings = {},
  topology = joined(),
  more: Partial<LocalStreamsOptions> = {},
): Promise<LocalStreams> {
  const app = defineApp({ applicationId: 'app', topology, settings: { ...quick, ...settings } });
  const streams = await LocalStreams.start({ app, log, host, ...more });
  closing.unshift(streams);
  return streams;
}

async function append({ log }: World, topic: Topic, key: string, value: string | null): Promise<void> {
  const bytes = (given: string | null) => (given === null ? null : Buffer.from(given));
  const builder = new RecordSetBuilder();
  builder.append(bytes(key), bytes(value), 0);
  await log.append({ topic, partition: partitionOf(key, topic) }, builder.build());
}

function partitionOf(key: string, topic: Topic): number {
  return defaultPartition(Buffer.from(key), null, PARTITIONS[topic]);
}

/** Some key that the default partitioner puts there. */
function keyIn(partition: number, topic: Topic): string {
  const keys = Array.from({ length: 200 }, (_, index) => `key-${index}`);
  const found = keys.find((key) => partitionOf(key, topic) === partition);
  if (found === undefined) throw new Error('no key belongs there');
  return found;
}

async function written({ log }: World): Promise<readonly string[]> {
  const [result] = await log.fetch([{ topic: 'out', partition: 0, fromOffset: offset(0) }], {
    isolation: 'readCommitted',
    maxWaitMs: 0,
    maxBytes: 10_000_000,
  });
  return [...(result?.records ?? [])].map(({ value }) => Buffer.from(value ?? []).toString());
}

const caughtUp = (streams: LocalStreams) => streams.untilCaughtUp(AbortSignal.timeout(10_000));

/** What each member has last said of where it stands in the topic. */
function standings({ events }: World): ReadonlyMap<string, unknown> {
  const said = events.filter(({ event }) => event === 'global-store-loaded' || event === 'global-store-at-end');
  return new Map(said.map(({ fields }) => [String(fields.memberId), fields.positions]));
}

describe('global stores of a running application', () => {
  it('give a task on partition 0 what lives in partition 5, from its first record on', async () => {
    const world = await createWorld();
    const row = keyIn(5, 'rows');
    await append(world, 'rows', row, 'R');
    await append(world, 'in', keyIn(0, 'in'), row);

    await caughtUp(await start(world));

    expect(await written(world)).toEqual([`${row}=R`]);
  });

  it('are whole before any task of the member runs', async () => {
    const world = await createWorld();
    const row = keyIn(2, 'rows');
    await append(world, 'rows', row, 'R');
    await append(world, 'in', keyIn(0, 'in'), row);
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slowLog = new Proxy(world.log, {
      get(target, property) {
        if (property === 'fetch')
          return async (...args: Parameters<Log['fetch']>) => {
            if (args[0].some(({ topic }) => topic === 'rows')) await gate;
            return target.fetch(...args);
          };
        const member: unknown = Reflect.get(target, property);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const heard = (wanted: string) => world.events.some(({ event }) => event === wanted);

    const streams = await start(world, {}, joined(), { portsOf: (_, ports) => ({ ...ports, log: slowLog }) });
    await waitFor('the member to load', async () => heard('global-store-loading'));
    await sleep(300);
    const early = heard('task-taken');
    open();
    await caughtUp(streams);

    expect(early).toBe(false);
    expect(await written(world)).toEqual([`${row}=R`]);
  });

  it('follow their topic while the members run, deletes included', async () => {
    const world = await createWorld();
    const streams = await start(world);
    const input = keyIn(1, 'in');
    const row = keyIn(3, 'rows');
    const lookUpUntil = (wanted: string) =>
      waitFor(wanted, async () => {
        await append(world, 'in', input, row);
        await caughtUp(streams);
        return (await written(world)).at(-1) === wanted || undefined;
      });

    await lookUpUntil(`${row}=null`);
    await append(world, 'rows', row, 'R');
    await lookUpUntil(`${row}=R`);
    await append(world, 'rows', row, null);
    await lookUpUntil(`${row}=null`);
  });

  it('are whole again after a crash, and stand where those of the other members do', async () => {
    const world = await createWorld();
    const rows = [0, 1, 2, 3, 4, 5].map((partition) => keyIn(partition, 'rows'));
    for (const row of rows) await append(world, 'rows', row, 'before');
    const streams = await start(world, { members: 2 });
    await append(world, 'in', keyIn(0, 'in'), rows[0] ?? '');
    await append(world, 'in', keyIn(1, 'in'), rows[0] ?? '');
    await caughtUp(streams);

    streams.crash('member-1');
    for (const row of rows) await append(world, 'rows', row, 'after');
    await waitFor('both members to have read to the end', async () => {
      for (const partition of [0, 1]) await append(world, 'in', keyIn(partition, 'in'), rows[0] ?? '');
      await caughtUp(streams);
      const said = [...standings(world).values()].map((positions) => JSON.stringify(positions));
      return (said.length === 2 && said.every((each) => each === JSON.stringify(wanted))) || undefined;
    });
    for (const row of rows) await append(world, 'in', keyIn(0, 'in'), row);
    await caughtUp(streams);

    expect((await written(world)).slice(-rows.length)).toEqual(rows.map((row) => `${row}=after`));
  });

  it('answer queries with all that is committed, and say where they stand in each partition', async () => {
    const world = await createWorld();
    const streams = await start(world);
    const row = keyIn(4, 'rows');

    const before = await streams.query('rows', row);
    await append(world, 'rows', row, 'R');
    const after = await streams.query('rows', row);

    expect(before).toMatchObject({ found: false, asOf: { topic: 'rows', partition: 4, nextOffset: 0 } });
    expect(after).toMatchObject({ found: true, value: 'R', asOf: { topic: 'rows', partition: 4, nextOffset: 1 } });
    expect(after.positions?.map(({ nextOffset }) => nextOffset)).toEqual([0, 0, 0, 0, 1, 0]);
  });

  it('are built anew by their processor on each member that starts', async () => {
    const world = await createWorld();
    await append(world, 'rows', keyIn(2, 'rows'), 'a');
    await append(world, 'rows', keyIn(2, 'rows'), 'b');
    const builder = new StreamsBuilder();
    builder.addGlobalStore(keyValueStore({ name: 'seen', ...text }), 'rows', text, appendValues('seen'));
    builder.stream('in', text).process(lookUp('seen')).to('out');
    const topology = builder.build();

    for (const value of ['first', 'second']) {
      await append(world, 'in', keyIn(0, 'in'), value);
      const streams = await start(world, {}, topology);
      await caughtUp(streams);
      await streams.close();
    }

    expect(await written(world)).toEqual(['first: a,b', 'second: a,b']);
  });

  it('can be all that an application has', async () => {
    const world = await createWorld();
    const builder = new StreamsBuilder();
    builder.globalTable('rows', { ...text, store: 'rows' });
    const streams = await start(world, {}, builder.build());

    await append(world, 'rows', 'a', 'A');

    expect(await streams.query('rows', 'a')).toMatchObject({ found: true, value: 'A' });
  });

  it('stop the application with a word where their topic is missing', async () => {
    const world = await createWorld();
    await world.log.deleteTopic('rows');

    await expect(start(world)).rejects.toMatchObject({
      code: 'STREAMS_MISSING_SOURCE_TOPIC',
      details: { topics: ['rows'] },
    });
  });

  it('end a member with the evidence when a record cannot be read, unless the settings say to go on', async () => {
    const world = await createWorld();
    const builder = new StreamsBuilder();
    const rows = builder.globalTable('rows', { key: string(), value: strict });
    builder
      .stream('in', text)
      .leftJoin(rows, { foreignKey: (_, value) => value, joiner: (value, row) => `${value}=${row}` })
      .to('out');
    const topology = builder.build();
    const [bad, good] = [keyIn(0, 'rows'), keyIn(1, 'rows')];
    await append(world, 'rows', bad, 'bad');
    await append(world, 'rows', good, 'good');
    await append(world, 'in', keyIn(0, 'in'), bad);
    await append(world, 'in', keyIn(0, 'in'), good);

    const failing = await start(world, {}, topology);
    await waitFor('the member to fail', async () =>
      world.events.find(({ event }) => event === 'member-failed' || event === 'invocation-failed'),
    );
    await failing.close();
    const going = await start(world, { deserializationExceptionHandler: 'continue' }, topology);
    await caughtUp(going);

    expect(await written(world)).toEqual([`${bad}=null`, `${good}=good`]);
    const dropped = world.events.find(({ event }) => event === 'records-dropped');
    expect(dropped?.fields).toMatchObject({
      reason: 'deserialization',
      count: 1,
      topic: 'rows',
      partition: 0,
      offset: 0,
    });
  });
});

const wanted = { 0: 2, 1: 2, 2: 2, 3: 2, 4: 2, 5: 2 };

/** Text that may not be 'bad'. */
const strict = {
  serialize: (value: string) => Buffer.from(value),
  deserialize(bytes: Uint8Array) {
    const value = Buffer.from(bytes).toString();
    if (value === 'bad') throw new Error('this is bad');
    return value;
  },
};

function appendValues(name: string): ProcessorSupplier<string, string> {
  return () => {
    let store: KeyValueStore<string, string>;
    return {
      init(context) {
        store = context.getStateStore(name);
      },
      async process({ value }) {
        const before = await store.get('all');
        await store.put('all', before === null ? value : `${before},${value}`);
      },
    };
  };
}

function lookUp(name: string): ProcessorSupplier<string, string, string, string> {
  return () => {
    let context: ProcessorContext<string, string>;
    let store: ReadOnlyKeyValueStore<string, string>;
    return {
      init(given) {
        context = given;
        store = given.getStateStore(name);
      },
      async process(record) {
        await context.forward(record.withValue(`${record.value}: ${await store.get('all')}`));
      },
    };
  };
}
