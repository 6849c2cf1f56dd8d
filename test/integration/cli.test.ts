/** The command line, as a process of its own, over an embedded application. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wordCount from '../../examples/wordcount/word-count.js';
import { defineApp, string } from '../../lib/index.js';
import { LocalStreams } from '../../lib/local/index.js';
import { type BuiltCommand, buildCommand } from '../support/cli/built-command.js';
import { waitFor } from '../support/wait-for.js';

const text = { key: string(), value: string() };

const app = defineApp({
  ...wordCount,
  settings: { members: 2, sessionTimeoutMs: 6_000, heartbeatIntervalMs: 100, tickIntervalMs: 200, idleTimeoutMs: 0 },
});

let cli: BuiltCommand;
let folder: string;
let socket: string;
let streams: LocalStreams;

beforeAll(async () => {
  cli = await buildCommand('embedded');
  folder = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
  socket = join(folder, 'inspect.sock');
  const topics = [
    { name: 'lines', partitions: 2 },
    { name: 'counts', partitions: 2 },
  ];
  streams = await LocalStreams.start({ app, topics, inspect: socket });
  const lines = Array.from({ length: 20 }, (_, index) => ({ key: `${index}`, value: `the line ${index}` }));
  await streams.append('lines', text, lines);
  await streams.untilCaughtUp(AbortSignal.timeout(60_000));
});
afterAll(async () => {
  await streams?.close();
  await rm(folder, { recursive: true, force: true });
  await cli?.remove();
});

const run = (...args: string[]) => cli.run([...args, '--socket', socket]);
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out);

describe('the command line over an embedded application', () => {
  it('shows members, and tells programs the same', async () => {
    const shown = await run('members');
    const told = await json('members');

    expect([shown.code, shown.err]).toEqual([0, '']);
    expect(shown.out.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      'MEMBER STATUS RUN ACTIVE STANDBY WARM-UP RUNNING RECORDS PLAN TAGS',
      expect.stringMatching(/^member-1 claimed 1 2 0 0 2 \d+ 1 -$/),
      expect.stringMatching(/^member-2 claimed 1 2 0 0 2 \d+ 1 -$/),
      '',
    ]);
    expect(told).toMatchObject({ applicationId: 'word-count', planNumber: 1 });
    expect(told.members).toHaveLength(2);
  });

  it('verifies snapshots, of all stores or of one task', async () => {
    const shown = await run('snapshots', 'verify');
    const told = await json('snapshots', 'verify', '1_1');

    expect([shown.code, shown.err]).toEqual([0, '']);
    expect(shown.out).toContain('all snapshots are right');
    expect(told).toMatchObject({ isRight: true, stores: [{ taskId: '1_1', store: 'counts', verdict: 'none' }] });
    expect((await run('snapshots', 'verify', '--store', 'unknown')).err).toContain('STREAMS_COMMAND_REFUSED');
  });

  it('shows tasks with their owners', async () => {
    const { out, code } = await run('tasks');

    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      'TASK STATE OWNER EPOCH GRANTED TO STANDBYS WARM-UPS',
      '0_0 running member-1 (1) 1 member-1 - -',
      '0_1 running member-2 (1) 1 member-2 - -',
      '1_0 running member-1 (1) 1 member-1 - -',
      '1_1 running member-2 (1) 1 member-2 - -',
      '',
    ]);
  });

  it('describes topology, settings and plan', async () => {
    const { out } = await run('describe');
    const told = await json('describe');

    expect(out).toContain('Sub-topology: 1');
    expect(out).toMatch(/plan +1, by \w+: first plan/);
    expect(told.settings.members).toBe(2);
    expect(told.subTopologies.map(({ id }: { id: number }) => id)).toEqual([0, 1]);
  });

  it('counts how far tasks are behind: nothing, once all is committed', async () => {
    const told = await json('lag');
    const shown = await run('lag');

    expect(told.lag).toBe(0);
    expect(told.tasks.map(({ taskId }: { taskId: string }) => taskId)).toEqual(['0_0', '0_1', '1_0', '1_1']);
    expect(shown.out).toContain('lines-0: 0');
    expect(shown.out).toMatch(/\n0 in all\n$/);
  });

  it('tells why a task has moved, and what the failover took, part by part', async () => {
    streams.crash('member-2');
    await waitFor('the tasks of the dead member to be written down as started', async () => {
      const { timelines } = await json('timeline', '1_1');
      return timelines.some(
        (one: { kind: string; state: string }) => one.kind === 'failover' && one.state !== 'unfinished',
      );
    });

    const [failover] = (await json('timeline', '1_1')).timelines;
    const shown = await run('timeline', '1_1', '--limit', '1');

    expect(failover.marks.map(({ mark }: { mark: string }) => mark).slice(0, 5)).toEqual([
      'last sign of life',
      'seen dead',
      'decided',
      'lease taken',
      'restored',
    ]);
    const spent = failover.parts.reduce((sum: number, { ms }: { ms: number }) => sum + ms, 0);
    expect(spent).toBeCloseTo(failover.outageMs, 3);
    expect(shown.out).toMatch(/^1_1: failover (on member-2|from member-2 to member-1)/);
    expect(shown.out).toContain('of outage');
  });

  it('explains a plan by trigger, score and moves', async () => {
    await streams.setMembers(3);
    const told = await waitFor('the newcomer to be given a share', async () => {
      const report = await json('plan', 'explain');
      return report.explanations[0]?.trigger.startsWith('member-3 joined') ? report : undefined;
    });
    const shown = await run('plan', 'explain');
    const [history] = (await json('plan', 'history')).plans;

    const [explained] = told.explanations;
    expect(explained.moves[0].reason).toMatch(/^\d_\d moved from member-\d to member-3: member-3 joined, /);
    expect(explained.score.map(({ goal }: { goal: string }) => goal)).toContain('balance');
    expect(explained.planNumber).toBe(history.planNumber);
    expect(shown.out).toContain(`plan      ${explained.planNumber}\n`);
  });

  it('drains a member: its tasks go to others, it ends, and comes back once that is taken back', async () => {
    const shown = await run('drain', 'member-1', '--warm-first', '--patience', '30');
    const gone = await waitFor('the drained member to have ended', async () => {
      const { members } = await json('members');
      const [first] = members as { readonly memberId: string; readonly status: string; readonly drained: boolean }[];
      return first?.status === 'free' ? first : undefined;
    });
    const without = await json('tasks');
    const cancelled = await run('drain', 'member-1', '--cancel');
    await waitFor('the member to be back', async () => {
      const { members } = await json('members');
      return members[0].status === 'claimed' && members[0].active > 0 ? true : undefined;
    });

    expect(shown.out).toMatch(
      /^member-1 is drained: its tasks stay until copies elsewhere are caught up, at most until /,
    );
    expect(gone).toMatchObject({ memberId: 'member-1', drained: true });
    expect(without.tasks.map(({ grantedTo }: { grantedTo: string }) => grantedTo)).not.toContain('member-1');
    expect(cancelled.out).toBe('member-1 is drained no longer: the next tick counts it again.\n');
  });

  it('drains nobody that there is not', async () => {
    const { code, err } = await run('drain', 'member-9');

    expect(code).toBe(1);
    expect(err).toMatch(/^millrace: there is no member-9\nSTREAMS_COMMAND_REFUSED: There are: member-1, /);
  });

  it('ends with 1 for what there is not, and says what there is', async () => {
    const shown = await run('plan', '999');
    const told = await run('plan', '999', '--json');

    expect([shown.code, shown.out]).toEqual([1, '']);
    expect(shown.err).toBe(
      'millrace: plan 999 is not kept\nSTREAMS_COMMAND_REFUSED: Ask for a newer one: `millrace plan history` lists those that are.\n',
    );
    expect(told.code).toBe(1);
    expect(JSON.parse(told.err).error).toMatchObject({
      code: 'STREAMS_COMMAND_REFUSED',
      message: 'plan 999 is not kept',
    });
  });
});

describe('a command line that can not be meant', () => {
  it.each([
    [['nonsense'], "error: unknown command 'nonsense'"],
    [['members', '--nonsense'], "error: unknown option '--nonsense'"],
    [['drain', 'two'], "A member is wanted: 'member-<number>', such as member-2."],
    [['timeline', '1-3'], "A task id is wanted: '<sub-topology>_<partition>', such as 1_3."],
    [['members'], 'Give --app <module>, or --application-id <id>'],
    [['members', '--application-id', 'a'], 'Neither --members-table nor MILLRACE_MEMBERS_TABLE is given'],
    [['members', '--app', './none.mjs'], './none.mjs can not be loaded'],
    [['members', '--socket', '/s', '--application-id', 'a'], '--socket goes without other options'],
  ])('%j ends with 2 and says why, without a stack', async (args, words) => {
    const { code, out, err } = await cli.run(args);

    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(words);
    expect(err).not.toMatch(/^\s+at /m);
  });

  it('is told from an application that does not answer, which ends with 1', async () => {
    const { code, err } = await cli.run(['members', '--socket', join(folder, 'nobody.sock')]);

    expect(code).toBe(1);
    expect(err).toContain('STREAMS_UNAVAILABLE');
  });
});
