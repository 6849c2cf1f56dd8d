/** The four handlers together, on memory adapters: what an event makes them do, and what a bad one can't. */
import type { Handler } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import wordCount from '../../../examples/wordcount/word-count.js';
import { CLOCK_TOLERANCE_MS } from '../../../lib/invoke/decode-payload.js';
import { createQueryHandler, createTaskHandler } from '../../../lib/lambda/index.js';
import { InvalidPayloadError, InvalidSettingError, UnavailableError } from '../../../lib/model/errors.js';
import { createFunctionsWorld } from '../../support/functions-world.js';

type World = Awaited<ReturnType<typeof createFunctionsWorld>>;

let world: World;
beforeEach(async () => {
  world = await createFunctionsWorld();
});
afterEach(() => world.close());

const get = (rawPath: string) => ({ version: '2.0', rawPath, requestContext: { http: { method: 'GET' } } });
const ask = async (rawPath: string) => {
  const { statusCode, body } = await world.handlers.query(get(rawPath), world.context());
  return { statusCode, body: JSON.parse(body) as Record<string, unknown> };
};
const schedule = { source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} };

/** What the scheduler leaves of its invocation for a last tick, and a second of ticks. */
const SCHEDULER_MS = 15_000 + 1_000;

/** Lets the schedule start members, which count the lines, find no more work, and end. */
async function countLines(...lines: readonly string[]): Promise<void> {
  await world.writeLines(...lines);
  await world.handlers.scheduler(schedule, world.context(SCHEDULER_MS));
  await world.invoker.idle();
}

describe('the schedule', () => {
  it('makes members run, which count and end; then queries answer', async () => {
    await countLines('the mill and the race', 'The race');

    expect([...(await world.committedCounts())].sort()).toEqual([
      'and=1',
      'mill=1',
      'race=1',
      'race=2',
      'the=1',
      'the=2',
      'the=3',
    ]);
    expect(world.failures).toEqual([]);
    expect(await ask('/stores/counts/the')).toMatchObject({
      statusCode: 200,
      body: { store: 'counts', key: 'the', value: 3, asOf: { topic: 'word-count-counts-changelog' } },
    });
    expect((await ask('/stores/counts/wheel')).statusCode).toBe(404);
  });

  it('ticks until its deadline while there are members, and not beyond', async () => {
    await world.close();
    world = await createFunctionsWorld({ MILLRACE_SETTING_IDLE_TIMEOUT_MS: '900ms' });
    const { clock } = world.ports.host;
    const startedMs = clock.monotonic();

    await world.handlers.scheduler(schedule, world.context(SCHEDULER_MS));
    const tookMs = clock.monotonic() - startedMs;

    expect(tookMs).toBeGreaterThan(500);
    expect(tookMs).toBeLessThan(SCHEDULER_MS);
  });

  it('ends when the members have found no more work, and starts none until there is some', async () => {
    await countLines('one');
    const before = await world.ports.leases.listMembers();
    expect(before.map(({ status }) => status)).toEqual(['free', 'free']);

    await countLines();
    expect(await world.ports.leases.listMembers()).toEqual(before);
    await countLines('two');

    expect([...(await world.committedCounts())].sort()).toEqual(['one=1', 'two=1']);
  });
});

describe('a tick', () => {
  it('asked for is run once, with its reason in the plan', async () => {
    await world.handlers.scheduler(world.tick('because of a test'), world.context());

    expect(await world.ports.leases.readPlan()).toMatchObject({
      number: 1,
      reason: expect.stringContaining('because of a test'),
    });
  });
});

describe('a tick while members run', () => {
  const whileMembers = (reason: string) => ({ ...world.tick(reason), whileMembers: true });

  it('goes on until the last member has ended, with its reason in the plan', async () => {
    await world.writeLines('one two');

    await world.handlers.scheduler(whileMembers('a doorbell woke member-1'), world.context(SCHEDULER_MS));

    const members = await world.ports.leases.listMembers();
    expect(members.map(({ status }) => status)).toEqual(['free', 'free']);
    expect(await world.ports.leases.readPlan()).toMatchObject({
      reason: expect.stringContaining('a doorbell woke member-1'),
    });
  });

  it('ends before its function would be ended', async () => {
    await world.close();
    world = await createFunctionsWorld({ MILLRACE_SETTING_IDLE_TIMEOUT_MS: '3s' });
    const { clock } = world.ports.host;
    const startedMs = clock.monotonic();

    await world.handlers.scheduler(whileMembers('test'), world.context(SCHEDULER_MS));

    expect(clock.monotonic() - startedMs).toBeLessThan(SCHEDULER_MS - 14_000);
    expect((await world.ports.leases.listMembers()).map(({ status }) => status)).toEqual(['claimed', 'claimed']);
  });

  it('that comes too late is ignored', async () => {
    await world.handlers.scheduler({ ...whileMembers('late'), expiresAtMs: 1 }, world.context());

    expect(world.lines).toContainEqual(expect.objectContaining({ level: 'warn', event: 'payload-expired' }));
    expect(await world.ports.leases.readPlan()).toBeNull();
  });
});

describe('a Kafka event', () => {
  it('runs the tasks of its partitions where there is no member, up to behind its records', async () => {
    await countLines('one', 'one');
    await world.writeLines('ring ring');
    const record = { topic: 'lines', partition: 0, offset: 1, value: null };

    await world.handlers.task({ eventSource: 'aws:kafka', records: { 'lines-0': [record] } }, world.context());

    const inputs = [0, 1].map((partition) => ({ topic: 'lines', partition }));
    const committed = await world.ports.log.committedOffsets(wordCount.applicationId, inputs);
    expect([...committed].map(([input, { nextOffset }]) => [input, nextOffset])).toEqual([
      ['lines-0', 2],
      ['lines-1', 1],
    ]);
    await countLines();
    expect(await ask('/stores/counts/ring')).toMatchObject({ statusCode: 200, body: { value: 2 } });
  });

  it('about partitions that no task reads is answered at once', async () => {
    await countLines('one', 'one');
    const record = { topic: 'elsewhere', partition: 0, offset: 1, value: null };
    const before = await world.ports.leases.listMembers();

    await world.handlers.task({ eventSource: 'aws:kafka', records: { 'elsewhere-0': [record] } }, world.context());

    expect(await world.ports.leases.listMembers()).toEqual(before);
  });
});

describe('the standby', () => {
  it('advances the snapshots of the tasks that it is given', async () => {
    await countLines('snap shot');
    const before = await world.ports.snapshots.list('');
    for (const { name } of before) await world.ports.snapshots.remove(name);
    const expiresAtMs = world.ports.host.clock.now() + 10_000;
    const taskIds = ['1_0', '1_1'];

    await world.handlers.standby(
      { type: 'advance-snapshots', applicationId: wordCount.applicationId, expiresAtMs, taskIds },
      world.context(),
    );

    expect((await world.ports.snapshots.list('')).length).toBeGreaterThan(0);
    expect(await ask('/stores/counts/snap')).toMatchObject({ statusCode: 200, body: { value: 1 } });
  });
});

describe('a failed invocation', () => {
  it('has its member declared dead at once, found by its request id', async () => {
    await world.close();
    world = await createFunctionsWorld({ MILLRACE_SETTING_IDLE_TIMEOUT_MS: '1500ms', MILLRACE_SETTING_MEMBERS: '1' });
    await world.handlers.scheduler(world.tick('test'), world.context());
    await vi.waitFor(async () => expect(await claimed()).toHaveLength(1), 5_000);
    const [member] = await claimed();
    const requestContext = { requestId: member?.tags['lambda.request.id'], condition: 'RetriesExhausted' };
    const body = JSON.stringify({ version: '1.0', requestContext, requestPayload: {} });

    const result = await world.handlers.scheduler(
      {
        Records: [
          { messageId: 'good', body, eventSource: 'aws:sqs' },
          { messageId: 'bad', body: '{}' },
        ],
      },
      world.context(),
    );

    expect(result).toEqual({ batchItemFailures: [{ itemIdentifier: 'bad' }] });
    const { memberId, incarnation } = member ?? {};
    expect(world.lines).toContainEqual({
      level: 'warn',
      event: 'member-declared-dead',
      fields: { memberId, incarnation, because: 'failure event' },
    });
  });

  const claimed = async () => (await world.ports.leases.listMembers()).filter(({ status }) => status === 'claimed');
});

describe('a payload', () => {
  const late = () => ({
    type: 'run-member',
    applicationId: wordCount.applicationId,
    expiresAtMs: world.ports.host.clock.now() - CLOCK_TOLERANCE_MS - 1,
    memberId: 'member-1',
    incarnation: 1,
  });

  it.each([
    ['scheduler', { type: 'tick' }],
    ['task', { type: 'run-member', memberId: 'member-one' }],
    ['task', { eventSource: 'aws:kafka', records: { 'lines-0': [{ topic: 'lines' }] } }],
    ['standby', { type: 'advance-snapshots', taskIds: 'all' }],
  ] as const)('that is malformed is refused by the %s before any port is made: %j', async (name, event) => {
    await expect(world.handlers[name](event, world.context())).rejects.toThrow(InvalidPayloadError);

    expect(world.made.ports).toBe(0);
  });

  it('that came too late is logged and changes nothing', async () => {
    await world.handlers.task(late(), world.context());

    expect(world.lines).toContainEqual(expect.objectContaining({ level: 'warn', event: 'payload-expired' }));
    expect(await world.ports.leases.listMembers()).toEqual([]);
  });

  it('for another application is refused and changes nothing', async () => {
    const event = { ...late(), applicationId: 'other', expiresAtMs: world.ports.host.clock.now() + 10_000 };

    await expect(world.handlers.task(event, world.context())).rejects.toThrow(InvalidPayloadError);

    expect(await world.ports.leases.listMembers()).toEqual([]);
  });

  it('that comes three times at once claims a slot once (trap 44)', async () => {
    await world.ports.leases.createMember('member-1');
    const event = { ...late(), expiresAtMs: world.ports.host.clock.now() + 10_000 };

    await Promise.all([event, event, event].map((one) => world.handlers.task(one, world.context())));

    expect(await world.ports.leases.readMember('member-1')).toMatchObject({ incarnation: 1 });
  });
});

describe('the query handler', () => {
  it.each([
    ['/stores/secrets/x', 403, 'STREAMS_QUERY_REFUSED'],
    ['/elsewhere', 400, 'STREAMS_QUERY_REFUSED'],
    ['/stores/counts/%ff', 400, 'STREAMS_INVALID_PAYLOAD'],
  ])('answers %s with %i and %s', async (path, statusCode, code) => {
    expect(await ask(path)).toMatchObject({
      statusCode,
      body: { code, message: expect.any(String), remedy: expect.any(String) },
    });
    expect(world.made.ports).toBe(0);
  });

  it('lets no store be read that is not named', async () => {
    const handler = createQueryHandler(wordCount, { ports: async () => world.ports, environment: {} });

    expect((await handler(get('/stores/counts/the'), world.context())).statusCode).toBe(403);
  });

  it('hides an unforeseen error from the asker, and logs it', async () => {
    const broken = { ...world.ports.log, describeTopics: () => Promise.reject(new Error('the secret is 42')) };
    const ports = { ...world.ports, log: broken as unknown as typeof world.ports.log };
    const handler = createQueryHandler(wordCount, { ports: async () => ports, environment: {}, stores: ['counts'] });

    const response = await handler(get('/stores/counts/the'), world.context());

    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain('42');
    expect(world.lines).toContainEqual(expect.objectContaining({ level: 'error', event: 'query-failed' }));
  });

  it('answers that asking again may help where its brokers are away when it starts, and does so', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const ports = vi
      .fn<() => Promise<typeof world.ports>>()
      .mockRejectedValueOnce(new UnavailableError('no broker answers'))
      .mockResolvedValue(world.ports);
    const handler = createQueryHandler(wordCount, { ports, environment: {}, stores: ['counts'] });

    const response = await handler(get('/stores/counts/the'), world.context());
    const lines = written.mock.calls.join('');
    written.mockRestore();

    expect(response).toMatchObject({ statusCode: 503, body: expect.stringContaining('no broker answers') });
    expect(lines).toContain('query-failed');
    expect(ports).toHaveBeenCalledOnce();
  });

  it('throws what somebody has to change before it can start', async () => {
    const refused = new InvalidSettingError('no brokers are named');
    const handler = createQueryHandler(wordCount, {
      ports: () => Promise.reject(refused),
      environment: {},
      stores: ['counts'],
    });

    await expect(handler(get('/stores/counts/the'), world.context())).rejects.toBe(refused);
  });

  it('answers before Lambda ends it, though its brokers say nothing', async () => {
    const silent = { ...world.ports.log, describeTopics: () => new Promise<never>(() => undefined) };
    const ports = { ...world.ports, log: silent as unknown as typeof world.ports.log };
    const handler = createQueryHandler(wordCount, { ports: async () => ports, environment: {}, stores: ['counts'] });

    const response = await handler(get('/stores/counts/the'), world.context(1_050));

    expect(response).toMatchObject({ statusCode: 503, body: expect.stringContaining('STREAMS_UNAVAILABLE') });
    expect(world.lines).toContainEqual(expect.objectContaining({ level: 'error', event: 'query-failed' }));
  });

  it('refuses to be made for a store that the topology has not', () => {
    expect(() => createQueryHandler(wordCount, { stores: ['cuonts'] })).toThrow(InvalidSettingError);
  });
});

describe('an execution environment', () => {
  it('makes its ports once, and again only after a failure', async () => {
    let attempts = 0;
    const handler = createTaskHandler(wordCount, {
      environment: {},
      ports: async () => {
        attempts += 1;
        if (attempts === 1) throw new InvalidSettingError('not yet');
        return world.ports;
      },
    });
    const payload = {
      type: 'run-member',
      applicationId: wordCount.applicationId,
      expiresAtMs: 0,
      memberId: 'member-1',
      incarnation: 1,
    };

    await expect(handler(payload, world.context())).rejects.toThrow(InvalidSettingError);
    await handler(payload, world.context());
    await handler(payload, world.context());

    expect(attempts).toBe(2);
  });

  it("gives handlers of the form that Lambda's types ask for", () => {
    const handlers: readonly Handler[] = Object.values(world.handlers);

    expect(handlers).toHaveLength(4);
  });
});
