/** What nobody caught, embedded: the three answers, and the states that they lead to. */
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { defineApp, type FailureHandlers, type SettingsInput, StreamsBuilder, string } from '../../lib/index.js';
import { LocalStreams, type StreamsState } from '../../lib/local/index.js';
import { type LoggedEvent, listeningLogger } from '../support/listening-logger.js';
import { waitFor } from '../support/wait-for.js';

const text = { key: string(), value: string() };
const QUICK: SettingsInput = {
  heartbeatIntervalMs: 50,
  sessionTimeoutMs: 500,
  tickIntervalMs: 50,
  commitIntervalMs: 20,
  pollMs: 20,
  idleTimeoutMs: 0,
  members: 2,
};

const running: LocalStreams[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((streams) => streams.close()));
});

interface Started {
  readonly streams: LocalStreams;
  readonly states: StreamsState[];
  readonly events: LoggedEvent[];
  /** Lets `bad` go through from now on. */
  mend(): void;
  write(...values: readonly string[]): Promise<void>;
  written(): Promise<readonly string[]>;
}

/** Copies records; throws at `bad`. Each value is its own key, in one of four partitions. */
async function start(settings: SettingsInput = {}, handlers: FailureHandlers = {}): Promise<Started> {
  const states: StreamsState[] = [];
  const events: LoggedEvent[] = [];
  let isMended = false;
  const builder = new StreamsBuilder();
  builder
    .stream('in', text)
    .peek((_, value) => {
      if (value === 'bad' && !isMended) throw new Error('bad');
    })
    .to('out');
  const app = defineApp({
    applicationId: 'copy',
    topology: builder.build(),
    settings: { ...QUICK, ...settings },
    handlers,
  });
  const streams = await LocalStreams.start({
    app,
    topics: [
      { name: 'in', partitions: 4 },
      { name: 'out', partitions: 1 },
    ],
    host: createNodeHost({ logger: listeningLogger(events) }),
    stateListener: (state, before) => states.push(...(states.length === 0 ? [before, state] : [state])),
  });
  running.push(streams);
  return {
    streams,
    states,
    events,
    mend: () => {
      isMended = true;
    },
    write: (...values) =>
      streams.append(
        'in',
        text,
        values.map((value) => ({ key: value, value })),
      ),
    written: async () => (await streams.read('out', text)).map(({ value }) => `${value}`).sort(),
  };
}

const until = (streams: LocalStreams, state: StreamsState) =>
  waitFor(state, async () => streams.streamsState === state);

describe('the state of an embedded application', () => {
  it('goes from created over rebalancing to running, and ends when it is closed', async () => {
    const { streams, states, write } = await start();
    await until(streams, 'RUNNING');
    await write('a', 'b');
    await streams.untilCaughtUp(AbortSignal.timeout(10_000));

    await streams.close();
    await streams.close();

    expect(states.slice(0, 3)).toEqual(['CREATED', 'REBALANCING', 'RUNNING']);
    expect(states.slice(-2)).toEqual(['PENDING_SHUTDOWN', 'NOT_RUNNING']);
    expect(states).not.toContain('ERROR');
  });

  it('is rebalancing while tasks move, and running when they have', async () => {
    const { streams, states } = await start();
    await until(streams, 'RUNNING');
    const before = states.length;

    await streams.setMembers(1);
    await waitFor('the move', async () => (await streams.state()).members.length === 1);
    await until(streams, 'RUNNING');

    expect(states.slice(before)).toContain('REBALANCING');
  });
});

describe('an error that nobody caught', () => {
  it('ends the embedded application by default: what the others did is committed, and the log can be read', async () => {
    const { streams, states, write, written } = await start();
    await write('a', 'b', 'c', 'd');
    await streams.untilCaughtUp(AbortSignal.timeout(10_000));

    await write('bad');
    const error = await streams.failed;
    await until(streams, 'ERROR');

    expect(error).toMatchObject({ code: 'STREAMS_PROCESSING_FAILED' });
    await expect(streams.untilCaughtUp(AbortSignal.timeout(5_000))).rejects.toBe(error);
    expect(states.slice(-2)).toEqual(['PENDING_ERROR', 'ERROR']);
    expect((await streams.state()).members.filter((one) => one.running)).toEqual([]);
    expect(await written()).toEqual(['a', 'b', 'c', 'd']);
    await streams.close();
    expect(streams.streamsState).toBe('ERROR');
  });

  it('with replaceThread is tried again until it goes through, and the other tasks run on', async () => {
    const { streams, events, mend, write, written } = await start({ uncaughtExceptionHandler: 'replaceThread' });
    await write('bad', 'a', 'b', 'c', 'd');
    await waitFor('the others', async () => (await written()).length >= 3);
    await waitFor('the failure', async () => events.some(({ event }) => event === 'task-failed'));
    mend();

    await streams.untilCaughtUp(AbortSignal.timeout(20_000));

    expect(await written()).toEqual(['a', 'b', 'bad', 'c', 'd']);
    expect(streams.streamsState).not.toBe('ERROR');
  });

  it('with shutdownApplication puts it to rest: a plan says why, and all members have ended in order', async () => {
    const handlers: FailureHandlers = {
      uncaught: ({ taskId }) => (taskId === null ? 'replaceThread' : 'shutdownApplication'),
    };
    const { streams, states, events, write, written } = await start({}, handlers);
    await write('a', 'b', 'c', 'd');
    await streams.untilCaughtUp(AbortSignal.timeout(10_000));

    await write('bad');
    const error = await streams.failed;
    await until(streams, 'ERROR');

    expect(error).toMatchObject({
      code: 'STREAMS_APPLICATION_AT_REST',
      details: { code: 'STREAMS_PROCESSING_FAILED' },
    });
    expect(states.slice(-2)).toEqual(['PENDING_ERROR', 'ERROR']);
    expect((await streams.state()).plan?.reason).toContain('asks to shut the application down');
    expect(events.some(({ event }) => event === 'application-at-rest')).toBe(true);
    expect(await written()).toEqual(['a', 'b', 'c', 'd']);
  });
});
