/** What functions must bear on AWS: to be ended by their time-out in mid-transaction, called twice, and called late. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wordCount from '../../functions/app.js';
import { DeployedWordCount, PARTITIONS, until } from '../support/aws/deployed-word-count.js';
import { functionProcesses } from '../support/aws/function-processes.js';
import { sleep } from '../support/wait-for.js';

const TASK_TIMEOUT_S = 20;
/** Longer than a task function may run: whatever is recovered sooner was known by the failure event. */
const SESSION_TIMEOUT_MS = 60_000;
const MAX_STOPS = 200;
const { applicationId } = wordCount;

let app: DeployedWordCount;

beforeAll(async () => {
  app = await DeployedWordCount.start({
    taskTimeoutS: TASK_TIMEOUT_S,
    settings: {
      members: 1,
      tasksPerMember: 2 * PARTITIONS,
      statestoreCacheMaxBytes: 0,
      heartbeatIntervalMs: 1_000,
      sessionTimeoutMs: SESSION_TIMEOUT_MS,
      idleTimeoutMs: 5_000,
    },
  });
});
afterAll(() => app?.stop());

/** Stops (SIGSTOP) the process of the task function at a moment at which a transaction of it is open. */
async function stopInTransaction(): Promise<void> {
  const [pid = 0] = await functionProcesses(app.emulator, 'task');
  for (let stops = 0; stops < MAX_STOPS; stops += 1) {
    process.kill(pid, 'SIGSTOP');
    await sleep(20); // what it had sent has arrived
    if (await app.isInTransaction()) return;
    process.kill(pid, 'SIGCONT');
    await sleep(7);
  }
  throw new Error(`no transaction was open at ${MAX_STOPS} moments`);
}

const runMember = (incarnation: number, expiresInMs: number) => ({
  type: 'run-member',
  applicationId,
  memberId: 'member-1',
  incarnation,
  expiresAtMs: Date.now() + expiresInMs,
});

describe('a deployed function', () => {
  it('hands over to its successor before its time-out, again and again under load', async () => {
    await app.tick();
    await app.untilClaimed(1);
    const load = app.feedAlong();

    await until('the third incarnation', async () => ((await app.members())[0]?.incarnation ?? 0) >= 3);
    await load.end();
    await app.untilCounted();

    expect(await app.wrong()).toEqual([]);
    expect((await app.view.log('task')).join('\n')).not.toMatch(/Task timed out/);
  });

  it('that Lambda ends by its time-out in mid-transaction is replaced, and every count stays exact', async () => {
    const [{ incarnation: before } = { incarnation: 0 }] = await app.untilClaimed(1);
    const load = app.feedAlong();

    await stopInTransaction();
    const stoppedAtMs = performance.now();
    await until('the next incarnation', async () => ((await app.members())[0]?.incarnation ?? 0) > before);
    const replacedMs = performance.now() - stoppedAtMs;
    await load.end();
    await app.untilCounted();
    console.log(`stopped in a transaction, replaced after ${Math.round(replacedMs)} ms`);

    expect(replacedMs).toBeLessThan(SESSION_TIMEOUT_MS);
    expect(await app.wrong()).toEqual([]);
    expect((await app.view.log('task')).join('\n')).toMatch(/Task timed out/);
  });

  it('that is called three times at once with one event runs once', async () => {
    await app.untilAsleep();
    const [{ incarnation: before } = { incarnation: 0 }] = await app.members();
    await app.feed(200);
    const event = runMember(before + 1, 30_000);

    await Promise.all([1, 2, 3].map(() => app.view.invoke('task', event)));
    await app.untilCounted();

    expect(await app.wrong()).toEqual([]);
    expect((await app.members()).map(({ incarnation }) => incarnation)).toEqual([before + 1]);
  });

  it('that hears the same doorbell three times at once counts once', async () => {
    await app.untilAsleep();
    await app.feedLine('three bells for one line', 0);
    const event = {
      type: 'doorbell',
      applicationId,
      expiresAtMs: Date.now() + 30_000,
      partitions: [{ topic: 'lines', partition: 0, toOffset: null }],
    };

    await Promise.all([1, 2, 3].map(() => app.view.invoke('task', event)));
    await app.untilCounted();

    expect(await app.wrong()).toEqual([]);
  });

  it('ignores an event that comes two minutes late', async () => {
    await app.untilAsleep();
    const [before] = await app.members();
    const epochs = await app.epochs();

    await app.view.invoke('task', runMember((before?.incarnation ?? 0) + 1, -60_000));
    await until('the invocation to end', async () => /payload-expired/.test((await app.view.log('task')).join('\n')));

    expect((await app.members())[0]).toEqual(before);
    expect(await app.epochs()).toEqual(epochs);
    expect(await app.wrong()).toEqual([]);
  });
});
