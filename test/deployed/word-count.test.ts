/**
 * A day in the life of the deployed word count, in order: each test goes on from the one before. Everything is driven and seen
 * through AWS's API and Kafka; only the killing of a function's process is not of this world.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeployedWordCount, PARTITIONS, textOf } from '../support/aws/deployed-word-count.js';
import { functionName } from '../support/aws/deployment.js';
import { enforcesRoles } from '../support/aws/enforced-roles.js';
import { startKafkaEventSource } from '../support/aws/kafka-event-source.js';
import { until } from '../support/aws/patience.js';
import { sleep } from '../support/wait-for.js';

const MEMBERS = 2;
const SESSION_TIMEOUT_MS = 40_000;
const SNAPSHOT_INTERVAL_MS = 3_000;
/** Longer than a tick of the schedule: whatever a scheduler invokes when nothing is to do would be seen. */
const IDLE_MS = 75_000;

/** Much shorter than the minute after which the scheduler would find the work by itself. */
const DOORBELL_MS = 5_000;
/** The same for what is downstream: the scheduler starts, ticks, and another function starts. */
const DOWNSTREAM_MS = 20_000;
/** A minute of the schedule, with time to see it. */
const SCHEDULE_MS = 90_000;

/** Its words come to every partition downstream. */
const LINE = 'down the mill race the water runs and the wheel turns';

let app: DeployedWordCount;

beforeAll(async () => {
  app = await DeployedWordCount.start({
    settings: {
      members: MEMBERS,
      tasksPerMember: PARTITIONS,
      numStandbyReplicas: 1,
      statestoreCacheMaxBytes: 0,
      heartbeatIntervalMs: 1_000,
      sessionTimeoutMs: SESSION_TIMEOUT_MS,
      idleTimeoutMs: 6_000,
      snapshotIntervalMs: SNAPSHOT_INTERVAL_MS,
      snapshotMinRecords: 100,
    },
  });
});
afterAll(() => app?.stop());

/** Newest plan: its number and who should run what. */
async function newestPlan() {
  const plans = (await app.view.plans()).map((item) => JSON.parse(textOf(item, 'plan')));
  return plans.reduce((newest, plan) => (plan.number > newest.number ? plan : newest));
}

/** Waits until a scheduler has ended that found nothing to do: the next comes in a minute. */
async function untilScheduled(): Promise<void> {
  const { scheduler } = await app.invocations();
  await until('the schedule', async () => (await app.invocations()).scheduler > scheduler, SCHEDULE_MS);
}

describe('word count on AWS', () => {
  it('a tick of the schedule writes a plan and starts the members', async () => {
    await app.feed(500);
    await app.tick();

    const members = await app.untilClaimed(MEMBERS);

    expect(members.map(({ memberId, incarnation }) => [memberId, incarnation])).toEqual([
      ['member-1', 1],
      ['member-2', 1],
    ]);
    expect((await newestPlan()).number).toBe(1);
  });

  it('every word is counted exactly once, as a read-committed reader of the topic sees it', async () => {
    await app.feed(1_500);

    await app.untilCounted();

    expect(await app.wrong()).toEqual([]);
    expect([...(await app.epochs()).keys()].sort()).toEqual(['0_0', '0_1', '1_0', '1_1']);
  });

  it('the standby function writes snapshots, and newer ones as the counting goes on', async () => {
    const manifests = async () => (await app.view.objects()).filter((name) => /standby[^/]*\.manifest$/.test(name));
    const first = await until('a snapshot of each store partition', async () => {
      const names = await manifests();
      return new Set(names.map((name) => name.split('/')[1])).size === PARTITIONS && names;
    });
    const load = app.feedAlong();

    const newer = await until('newer snapshots', async () => {
      const names = (await manifests()).filter((name) => !first.includes(name));
      return new Set(names.map((name) => name.split('/')[1])).size === PARTITIONS && names;
    });
    await load.end();
    await app.untilCounted();

    // The offset stands inverted in the name: a smaller text is a later offset.
    const newest = (names: readonly string[], task: string) =>
      names
        .filter((name) => name.includes(`/${task}/`))
        .map((name) => name.split('/').at(-2) ?? '')
        .sort()[0] ?? '';
    for (const task of ['1_0', '1_1']) expect(newest(newer, task) < newest(first, task)).toBe(true);
  });

  it('the query URL refuses who does not sign', async ({ skip }) => {
    skip(!(await enforcesRoles(app.target)), 'this target enforces no roles');

    const unsigned = await app.view.query('/stores/counts/a', { signed: false });

    expect(unsigned.status).toBe(403);
  });

  it('the query URL answers who signs, with the count and the offset that it is as of', async () => {
    const [word = '', count = 0] = [...app.fed][0] ?? [];

    const answer = await app.view.query(`/stores/counts/${word}`);
    const unknown = await app.view.query('/stores/counts/nobody-wrote-this');
    const secret = await app.view.query('/stores/others/a');

    expect([answer.status, unknown.status, secret.status]).toEqual([200, 404, 403]);
    expect(JSON.parse(answer.body)).toMatchObject({
      store: 'counts',
      key: word,
      value: count,
      asOf: { topic: 'word-count-counts-changelog', nextOffset: expect.any(Number) },
    });
  });

  it('a killed function process is known by its failed invocation, and replaced at once', async () => {
    const before = await app.members();
    const load = app.feedAlong();
    await sleep(500);
    await app.endProcess();
    const killedAtMs = performance.now();

    const [next] = await until('the next incarnation of the slot', async () => {
      const found = (await app.members()).filter(({ memberId, incarnation, status }) => {
        const old = before.find((one) => one.memberId === memberId);
        return status === 'claimed' && incarnation > (old?.incarnation ?? 0);
      });
      return found.length > 0 && found;
    });
    const replacedMs = performance.now() - killedAtMs;
    await load.end();
    await app.untilCounted();
    console.log(
      `replaced after ${Math.round(replacedMs)} ms, counted after ${Math.round(performance.now() - killedAtMs)} ms`,
    );

    const old = before.find(({ memberId }) => memberId === next?.memberId);
    expect(next?.incarnation).toBe((old?.incarnation ?? 0) + 1);
    expect(replacedMs).toBeLessThan(SESSION_TIMEOUT_MS / 2);
    expect(await app.wrong()).toEqual([]);
    await until(
      'the failure to be dealt with',
      async () => (await app.view.messages(app.view.outputs.FailuresQueueUrl)) === 0,
    );
    expect(await app.view.messages(app.view.outputs.UnreadFailuresQueueUrl)).toBe(0);
    expect((await app.view.log('scheduler')).join('\n')).toMatch(/failure event/);
  });

  it('a deployment under load keeps who runs what, and every count', async () => {
    const { assignment } = await newestPlan();
    const load = app.feedAlong();
    await sleep(500);

    await app.deployment.update({ MILLRACE_DEPLOYED: 'again' });
    await sleep(2_000);
    await load.end();
    await app.untilCounted();

    expect((await newestPlan()).assignment).toEqual(assignment);
    expect(await app.wrong()).toEqual([]);
    expect((await app.members()).map(({ memberId }) => memberId)).toEqual(['member-1', 'member-2']);
  });

  it('without input nothing is invoked but the scheduler', async () => {
    await app.untilIdle(SNAPSHOT_INTERVAL_MS);
    const before = await app.invocations();

    await sleep(IDLE_MS);

    const { scheduler, ...others } = await app.invocations();
    expect({ ...others, scheduler: before.scheduler }).toEqual(before);
    expect(scheduler).toBeGreaterThan(before.scheduler);
  });

  it('a doorbell from Kafka wakes the task that has work, and it the slots downstream, long before the next minute', async () => {
    await app.untilAsleep();
    await untilScheduled();
    const before = await app.epochs();
    const incarnations = (await app.members()).map(({ incarnation }) => incarnation);
    const source = await startKafkaEventSource({
      log: app.log,
      lambda: app.view.clients.lambda,
      functionName: functionName(app.target, 'task'),
      bootstrapServers: app.broker.bootstrapServers,
      topic: 'lines',
      partitions: PARTITIONS,
    });

    try {
      await app.feedLine(LINE, 1);
      const rangAtMs = performance.now();
      await until('the task to run', async () => (await app.epochs()).get('0_1') !== before.get('0_1'), DOORBELL_MS);
      const ranMs = Math.round(performance.now() - rangAtMs);
      await app.untilCounted(DOWNSTREAM_MS);
      console.log(
        `the doorbell's task runs after ${ranMs} ms, all is counted after ${Math.round(performance.now() - rangAtMs)} ms`,
      );

      // Its words are for both slots, and the doorbell woke one.
      const woken = (await app.members()).map(({ incarnation }, slot) => incarnation - (incarnations[slot] ?? 0));
      expect(woken).toEqual([1, 1]);
    } finally {
      await source.stop();
    }
    expect([source.events, source.failures]).toEqual([1, 0]);
    expect(await app.wrong()).toEqual([]);
  });

  it('removing the stack leaves nothing', async () => {
    await app.untilIdle(SNAPSHOT_INTERVAL_MS);
    await app.view.emptyBucket();

    await app.deployment.remove();

    await until('listings to forget what is gone', async () => (await app.view.leftovers()).length === 0);
    expect(await app.view.leftovers()).toEqual([]);
  });
});
