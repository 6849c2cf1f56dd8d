/** Members that keep copies of each other's tasks: promoted in place, warmed up before a move, handed back to be copies again. */
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { defineApp, type SettingsInput, StreamsBuilder, string } from '../../lib/index.js';
import type { MemberAssignment } from '../../lib/leases/records.js';
import { LocalStreams } from '../../lib/local/index.js';
import type { RuntimePorts } from '../../lib/runtime/ports.js';
import { long } from '../../lib/serde/number-serdes.js';
import { type LoggedEvent, listeningLogger } from '../support/listening-logger.js';
import { countsOf, someWords } from '../support/task-world.js';
import { waitFor } from '../support/wait-for.js';

const PARTITIONS = 6;
const WAIT_MS = 15_000;
const text = { key: string(), value: string() };

const open: LocalStreams[] = [];
afterEach(async () => {
  for (const streams of open.splice(0)) await streams.close();
});

interface Running {
  readonly streams: LocalStreams;
  readonly events: LoggedEvent[];
  readonly ports: RuntimePorts;
}

async function start(settings: SettingsInput): Promise<Running> {
  const builder = new StreamsBuilder();
  builder.stream('words', text).groupByKey().count({ store: 'counts' }).toStream().to('totals');
  const events: LoggedEvent[] = [];
  let ports: RuntimePorts | null = null;
  const streams = await LocalStreams.start({
    app: defineApp({
      applicationId: 'app',
      topology: builder.build(),
      settings: {
        heartbeatIntervalMs: 100,
        sessionTimeoutMs: 1_500,
        tickIntervalMs: 50,
        commitIntervalMs: 10,
        pollMs: 20,
        statestoreCacheMaxBytes: 0,
        idleTimeoutMs: 0,
        assignor: 'highAvailability',
        standbyKind: 'hot',
        ...settings,
      },
    }),
    topics: ['words', 'totals'].map((name) => ({ name, partitions: PARTITIONS })),
    host: createNodeHost({ logger: listeningLogger(events) }),
    portsOf: (_, given) => {
      ports = given;
      return given;
    },
  });
  open.push(streams);
  return { streams, events, ports: await waitFor('a member', async () => ports ?? undefined) };
}

async function feed({ streams }: Running, words: readonly string[]): Promise<void> {
  await streams.append(
    'words',
    text,
    words.map((word) => ({ key: word, value: word })),
  );
  await streams.untilCaughtUp(AbortSignal.timeout(WAIT_MS));
}

/** The last count of each word, as a reader of the output sees it. */
async function totals({ streams }: Running): Promise<ReadonlyMap<string, number>> {
  const read = await streams.read('totals', { key: string(), value: long() });
  return new Map(read.map(({ key, value }) => [key ?? '', value ?? 0]));
}

const assignmentOf = async ({ ports }: Running) =>
  Object.entries((await ports.leases.readPlan())?.assignment ?? {}) as [string, MemberAssignment][];

const eventsOf = ({ events }: Running, name: string) => events.filter(({ event }) => event === name);

/** Waits until every copy that the plan lists has reported that it lacks nothing, and the plan is no step on the way. */
const untilCopied = (running: Running, copies: number) =>
  waitFor(
    `${copies} copies to be current`,
    async () => {
      const plan = await running.ports.leases.readPlan();
      const assignment = await assignmentOf(running);
      if (plan?.followUp === true || assignment.some(([, { warmup }]) => warmup.length > 0)) return undefined;
      if (assignment.reduce((sum, [, { standby }]) => sum + standby.length, 0) !== copies) return undefined;
      for (const [id, { standby }] of assignment) {
        const { report } = (await running.ports.leases.readMember(id as 'member-1')) ?? {};
        const isCurrent = standby.every((taskId) =>
          report?.positions.some((at) => at.taskId === taskId && at.nextOffset > 0 && at.nextOffset === at.endOffset),
        );
        if (!isCurrent) return undefined;
      }
      return true;
    },
    WAIT_MS,
  );

/** Waits until members have told that they run so many tasks: an assignor that knows of no copy at all would move them cold. */
const untilReported = ({ ports }: Running, tasks: number) =>
  waitFor('the members to report', async () => {
    const members = await ports.leases.listMembers();
    return members.reduce((sum, { report }) => sum + report.running.length, 0) === tasks || undefined;
  });

describe('hot standbys', () => {
  it('are promoted in place when their member dies: they read the tail alone (features F9, H1)', async () => {
    const running = await start({ members: 3, numStandbyReplicas: 1 });
    const words = someWords(600, 60);
    await feed(running, words.slice(0, 300));
    await untilCopied(running, PARTITIONS);
    const lost = (await assignmentOf(running)).find(([id]) => id === 'member-1')?.[1].active ?? [];
    const mark = running.events.length;

    running.streams.crash('member-1');
    await feed(running, words.slice(300));

    expect(lost.length).toBeGreaterThan(0);
    const resumed = running.events.slice(mark).filter(({ event }) => event === 'task-running');
    const promoted = lost.map((taskId) => resumed.find(({ fields }) => fields.taskId === taskId)?.fields);
    for (const fields of promoted) expect(fields).toMatchObject({ restoredFrom: ['memory'], restoredRecords: 0 });
    expect(await totals(running)).toEqual(countsOf(words));
  });

  it('are apart from their active tasks, and the place of a promoted one is filled again (features D17, F6)', async () => {
    const running = await start({ members: 3, numStandbyReplicas: 1 });
    await feed(running, someWords(200, 60));
    await untilCopied(running, PARTITIONS);

    running.streams.crash('member-2');
    await waitFor('the dead to be replaced', async () => eventsOf(running, 'member-declared-dead')[0], WAIT_MS);
    await untilCopied(running, PARTITIONS);

    for (const [, { active, standby }] of await assignmentOf(running))
      expect(standby.filter((taskId) => active.includes(taskId))).toEqual([]);
  });

  it('survive two overlapping deaths where there are two (features F7, H3)', async () => {
    const running = await start({ members: 3, numStandbyReplicas: 2 });
    const words = someWords(400, 60);
    await feed(running, words.slice(0, 200));
    await untilCopied(running, 2 * PARTITIONS);
    const mark = running.events.length;

    running.streams.crash('member-1');
    running.streams.crash('member-2');
    await feed(running, words.slice(200));

    const restores = running.events.slice(mark).filter(({ event }) => event === 'task-running');
    const onThird = restores.filter(({ fields }) => fields.memberId === 'member-3');
    expect(onThird.length).toBeGreaterThan(0);
    for (const { fields } of onThird) expect(fields.restoredFrom).toEqual(['memory']);
    expect(await totals(running)).toEqual(countsOf(words));
  });
});

describe('warm-ups', () => {
  it('are filled before their task moves, and the pause of a move is short (features D6, D11, E4)', async () => {
    const running = await start({ members: 2, numStandbyReplicas: 0, acceptableRecoveryLag: 0 });
    const words = someWords(900, 60);
    await feed(running, words.slice(0, 600));
    await untilReported(running, PARTITIONS);
    const mark = running.events.length;

    await running.streams.setMembers(3);
    await waitFor(
      'the newcomer to have its share',
      async () => {
        const held = (await assignmentOf(running)).find(([id]) => id === 'member-3')?.[1];
        const plan = await running.ports.leases.readPlan();
        return (held?.active.length === 2 && plan?.followUp !== true) || undefined;
      },
      WAIT_MS,
    );
    const runsOnThird = () =>
      running.events
        .slice(mark)
        .filter(({ event, fields }) => event === 'task-running' && fields.memberId === 'member-3');
    await waitFor('both moves', async () => runsOnThird().length >= 2 || undefined, WAIT_MS);
    await feed(running, words.slice(600));

    const since = running.events.slice(mark);
    const moved = runsOnThird();
    expect(moved).toHaveLength(2);
    for (const { fields } of moved) expect(fields).toMatchObject({ restoredFrom: ['memory'] });
    expect(since.some(({ event, fields }) => event === 'copy-started' && fields.role === 'warmup')).toBe(true);
    expect(await totals(running)).toEqual(countsOf(words));
  });
});
