/** What functions must bear on AWS: to be ended by their time-out in mid-transaction, called twice, and called late. */
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wordCount from '../../examples/wordcount/word-count.js';
import { appInEnvironment } from '../../lib/lambda/environment.js';
import { offset } from '../../lib/model/offset.js';
import { topicPartitionKey } from '../../lib/model/topic-partition.js';
import { DeployedWordCount, PARTITIONS } from '../support/aws/deployed-word-count.js';
import { functionName } from '../support/aws/deployment.js';
import { startFaultyEndpoint } from '../support/aws/faulty-endpoint.js';
import { kafkaEvent } from '../support/aws/kafka-event-source.js';
import { successorAskedForAt } from '../support/aws/late-events.js';
import { until } from '../support/aws/patience.js';
import { sleep } from '../support/wait-for.js';

const TASK_TIMEOUT_S = 20;
/** Longer than a task function may run: whatever is recovered sooner was known by the failure event. */
const SESSION_TIMEOUT_MS = 60_000;
const LATE_MS = 120_000;
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

const incarnation = async () => (await app.members())[0]?.incarnation ?? 0;

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

    await until('the third incarnation', async () => (await incarnation()) >= 3);
    await load.end();
    await app.untilCounted();

    expect(await app.wrong()).toEqual([]);
    expect((await app.view.log('task')).join('\n')).not.toMatch(/Task timed out/);
  });

  it('that Lambda ends by its time-out in mid-transaction is replaced, and every count stays exact', async () => {
    await app.untilClaimed(1);
    const load = app.feedAlong();

    await app.stopInTransaction();
    const before = await incarnation();
    const stoppedAtMs = performance.now();
    await until('the next incarnation', async () => (await incarnation()) > before);
    const replacedMs = performance.now() - stoppedAtMs;
    await load.end();
    await app.untilCounted();
    console.log(`stopped in a transaction, replaced after ${Math.round(replacedMs)} ms`);

    expect(replacedMs).toBeLessThan(SESSION_TIMEOUT_MS);
    expect(await app.wrong()).toEqual([]);
    expect((await app.view.log('task')).join('\n')).toMatch(/Task timed out/);
  });

  it('that is called three times at once with one event runs once (trap 44)', async () => {
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

  it('ignores an event that was made two minutes ago', async () => {
    await app.untilAsleep();
    const [before] = await app.members();
    if (before === undefined) throw new Error('there is no slot');
    const epochs = await app.epochs();
    const here = appInEnvironment(wordCount, { MILLRACE_SETTING_SESSION_TIMEOUT_MS: String(SESSION_TIMEOUT_MS) });
    const event = await successorAskedForAt(Date.now() - LATE_MS, here, before);

    await app.view.invoke('task', event);
    await until('the invocation to end', async () =>
      (await app.view.log('task')).some(
        (line) => /payload-expired/.test(line) && line.includes(`${event.expiresAtMs}`),
      ),
    );

    expect(event.incarnation).toBe(before.incarnation + 1);
    expect((await app.members())[0]).toEqual(before);
    expect(await app.epochs()).toEqual(epochs);
    expect(await app.wrong()).toEqual([]);
  });

  it('takes an event about records that are two minutes old as a doorbell, and the second time for nothing', async () => {
    await app.untilAsleep();
    const at = { topic: 'lines', partition: 0 };
    const ends = await app.log.listOffsets([at], 'highWatermark');
    await app.feedLine('an old line that nobody has read', 0, Date.now() - LATE_MS);
    const [written] = await app.log.fetch([{ ...at, fromOffset: ends.get(topicPartitionKey(at)) ?? offset(0) }], {
      isolation: 'readCommitted',
      maxWaitMs: 1_000,
      maxBytes: 1_024,
    });
    const records = [...(written?.records ?? [])];
    const event = kafkaEvent({ bootstrapServers: app.broker.bootstrapServers, topic: 'lines' }, 0, records);
    const ring = async () => {
      const FunctionName = functionName(app.target, 'task');
      const invoke = new InvokeCommand({ FunctionName, Payload: JSON.stringify(event) });
      return (await app.view.clients.lambda.send(invoke)).FunctionError;
    };

    const first = await ring();
    await app.untilCounted();
    await app.untilAsleep();
    const second = await ring();
    await app.untilAsleep();

    expect(records.map(({ timestampMs }) => Date.now() - timestampMs >= LATE_MS)).toEqual([true]);
    expect([first, second]).toEqual([undefined, undefined]);
    expect(await app.wrong()).toEqual([]);
  });

  it('whose tables are throttled, for a while altogether, goes on by itself, and every count stays exact', async ({
    skip,
  }) => {
    skip(
      app.target.endpoint === undefined,
      'AWS has no endpoint before which tables can be throttled, an emulator has',
    );
    const tables = await startFaultyEndpoint(app.target);
    try {
      await app.deployment.update({ AWS_ENDPOINT_URL_DYNAMODB: tables.endpointForFunctions });
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
