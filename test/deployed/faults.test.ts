/** What functions must bear on AWS: to be ended by their time-out in mid-transaction, called twice, and called late. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wordCount from '../../functions/app.js';
import { DeployedWordCount, PARTITIONS, until } from '../support/aws/deployed-word-count.js';
import { startFaultyEndpoint } from '../support/aws/faulty-endpoint.js';
import { functionProcesses } from '../support/aws/function-processes.js';
import { sleep } from '../support/wait-for.js';

const TASK_TIMEOUT_S = 20;
/** Longer than a task function may run: whatever is recovered sooner was known by the failure event. */
const SESSION_TIMEOUT_MS = 60_000;
const MAX_STOPS = 200;
/** How long the tables answer nothing at all: longer than the adapter tries again. */
const SHUT_MS = 15_000;
const THROTTLED = {
  status: 400,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#ThrottlingException', message: 'Rate exceeded' }),
};
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

  it('whose tables are throttled, for a while altogether, goes on by itself, and every count stays exact', async () => {
    const tables = await startFaultyEndpoint(app.emulator.endpoint);
    try {
      await app.deployment.update({ AWS_ENDPOINT_URL_DYNAMODB: tables.endpoint });
      let asked = 0;
      let isShut = false;
      let throttled = 0;
      tables.otherwise = () => {
        asked += 1;
        if (!isShut && asked % 3 !== 0) return undefined;
        throttled += 1;
        return THROTTLED;
      };
      const load = app.feedAlong();
      await app.tick();
      await until('members that reach the tables', async () => throttled > 5);

      isShut = true;
      await sleep(SHUT_MS);
      isShut = false;
      await load.end();
      await app.tick();
      await app.untilCounted();
      console.log(`${throttled} of ${asked} requests to the tables were throttled`);

      expect(throttled).toBeGreaterThan(5);
      expect(await app.wrong()).toEqual([]);
    } finally {
      await tables.close(); // the last of this file: nobody needs the functions any more
    }
  });
});
