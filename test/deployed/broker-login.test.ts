/** The deployed word count on a broker that asks for a password: functions find it in their secret, which is rotated as they run. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeployedWordCount } from '../support/aws/deployed-word-count.js';
import type { DeployedFunction } from '../support/aws/deployment.js';
import { type LockedBroker, openLockedBroker } from '../support/aws/locked-broker.js';
import { until } from '../support/aws/patience.js';
import { sleep } from '../support/wait-for.js';

/** In every password of these tests. */
const HIDDEN = 'hunter2';
/** A connection that is used logs in again in the last 10 s of its session: here every 2 s. */
const SESSION_MS = 12_000;
const SEVERAL_LOGINS_MS = 6_000;
const functions: readonly DeployedFunction[] = ['scheduler', 'task', 'standby', 'query'];

let broker: LockedBroker;
let app: DeployedWordCount;

beforeAll(async () => {
  app = await DeployedWordCount.start({
    settings: { members: 1, tasksPerMember: 4, statestoreCacheMaxBytes: 0, idleTimeoutMs: 10_000 },
    brokerAt: async (target) => {
      broker = await openLockedBroker(target, { password: `${HIDDEN}-first`, sessionMs: SESSION_MS });
      return broker;
    },
  });
});
afterAll(() => app?.stop());

/** Asks for a word that was fed; its status. */
async function queried(): Promise<number> {
  const [word] = [...app.fed.keys()];
  return (await app.view.query(`/stores/counts/${word}`)).status;
}

async function refusedLogins(name: DeployedFunction): Promise<readonly string[]> {
  return (await app.view.log(name)).filter((line) => line.includes('kafka-login-refused'));
}

describe('functions whose broker asks for a password', () => {
  it('find it in their secret, and count and answer', async () => {
    await app.feed(300);
    await app.tick();

    await app.untilCounted();

    expect(await queried()).toBe(200);
    expect(await refusedLogins('query')).toEqual([]);
  });

  it('go on when it is rotated while they run: what is warm reads the secret again', async () => {
    const load = app.feedAlong();
    await app.tick();
    const before = await app.untilClaimed(1);

    await broker.rotate(`${HIDDEN}-second`);
    await sleep(SEVERAL_LOGINS_MS);
    await load.end();
    await app.untilCounted();
    const after = await app.members();
    const answered = await queried();
    await app.untilAsleep();

    expect(after).toEqual(before);
    expect(answered).toBe(200);
    for (const name of ['task', 'query'] as const) {
      const [line] = await until('the log of its invocation', async () => {
        const lines = await refusedLogins(name);
        return lines.length > 0 && lines;
      });
      expect(line).toContain('"secretHasChanged":true');
      expect(line).toContain(broker.secretArn);
    }
  });

  it('tell nobody what is in it', async () => {
    const lines = (await Promise.all(functions.map((name) => app.view.log(name)))).flat();

    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes(HIDDEN))).toEqual([]);
  });
});
