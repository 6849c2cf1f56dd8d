/** What a log does when connections break at the worst moment. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import { offset } from '../../../lib/model/offset.js';
import { offsetsOf, records } from '../../../lib/testing/conformance/log/scene.js';
import { codeOf } from '../../../lib/testing/conformance/test-runner.js';
import { type KafkaCluster, startKafka } from '../../support/kafka/kafka-cluster.js';
import { newName, newPartition, openLog, readAll, valuesOf } from '../../support/kafka/log-kit.js';
import { type Fate, TcpProxy } from '../../support/tcp-proxy.js';

const PRODUCE = 0;
const FETCH = 1;
const OFFSET_COMMIT = 8;
const INIT_PRODUCER_ID = 22;
const ADD_PARTITIONS = 24;
const END_TXN = 26;

let kafka: KafkaCluster;
let proxy: TcpProxy;
/** Goes through the proxy; every broker that it hears of is behind it too. */
let log: KafkaLog;

beforeAll(async () => {
  proxy = await TcpProxy.start();
  kafka = await startKafka({
    brokers: 1,
    properties: { 'advertised.listeners': `PLAINTEXT://127.0.0.1:${proxy.port}` },
  });
  proxy.forwardTo(kafka.bootstrapServers);
  log = await openLog([`127.0.0.1:${proxy.port}`], { endReturns: 'visible' });
});

afterEach(() => {
  proxy.isOpen = true;
  proxy.onRequest = () => 'pass';
});

afterAll(async () => {
  await log?.close();
  await proxy?.close();
  await kafka?.stop();
});

/** The fates of the first requests of a kind; later ones pass. Brokers send requests to themselves through the proxy too. */
function fatesOf(apiKey: number, ...fates: (Fate | (() => Promise<Fate>))[]): () => number {
  let seen = 0;
  proxy.onRequest = (key) => {
    if (key !== apiKey) return 'pass';
    const fate = fates[seen];
    seen += 1;
    return typeof fate === 'function' ? fate() : (fate ?? 'pass');
  };
  return () => seen;
}

function producer(transactionalId = newName('lost')) {
  return log.initProducer({ transactionalId, transactionTimeoutMs: 20_000 });
}

describe('connections that break', () => {
  it('between a send and its commit do not cost the transaction', async () => {
    const at = await newPartition(log, 'cut');
    const owner = await producer();
    await owner.send(at, records('a=1'));

    proxy.cut();
    await owner.send(at, records('b=2'));
    proxy.cut();
    await owner.commit();

    expect(await readAll(log, at)).toEqual(['0:a=1', '1:b=2']);
  });

  it.each([
    ['before the broker has the records', 'drop'],
    ['before the broker could acknowledge them', 'lose-answer'],
  ] as const)('%s leave each record once: the batch is sent again', async (_, fate) => {
    const at = await newPartition(log, 'produce');
    const owner = await producer();
    const seen = fatesOf(PRODUCE, fate, fate);

    await owner.send(at, records('a=1', 'b=2'));
    await owner.send(at, records('c=3'));
    await owner.commit();

    expect(seen()).toBeGreaterThanOrEqual(4);
    expect(await readAll(log, at)).toEqual(['0:a=1', '1:b=2', '2:c=3']);
  });

  it.each(['drop', 'lose-answer'] as const)('during a plain append leave each record once (%s)', async (fate) => {
    const at = await newPartition(log, 'append');
    await log.append(at, records('a=1'));
    fatesOf(PRODUCE, fate);

    const first = await log.append(at, records('b=2', 'c=3'));

    expect(first).toBe(1);
    expect(await readAll(log, at)).toEqual(['0:a=1', '1:b=2', '2:c=3']);
  });

  it.each(['drop', 'lose-answer'] as const)('while partitions are added are made up for (%s)', async (fate) => {
    const at = await newPartition(log, 'add');
    const owner = await producer();
    const seen = fatesOf(ADD_PARTITIONS, fate);

    await owner.send(at, records('a=1'));
    await owner.commit();

    expect(seen()).toBeGreaterThanOrEqual(2);
    expect(valuesOf(await readAll(log, at))).toEqual(['1']);
  });

  it.each(['drop', 'lose-answer'] as const)(
    'during a commit do not hide its outcome: it is asked for again (%s)',
    async (fate) => {
      const at = await newPartition(log, 'commit');
      const owner = await producer();
      await owner.send(at, records('a=1'));
      const seen = fatesOf(END_TXN, fate);

      await owner.commit();
      await owner.send(at, records('b=2'));
      await owner.commit();

      expect(seen()).toBeGreaterThan(2);
      expect(valuesOf(await readAll(log, at))).toEqual(['1', '2']);
    },
  );

  it('make the outcome unknown if the repeated commit is refused: the first had taken effect', async () => {
    const at = await newPartition(log, 'unknown');
    const transactionalId = newName('unknown');
    const owner = await producer(transactionalId);
    await owner.send(at, records('a=1'));
    fatesOf(END_TXN, 'lose-answer', async () => {
      await producer(transactionalId);
      return 'pass';
    });

    const code = await codeOf(owner.commit());

    expect(code).toBe('STREAMS_UNKNOWN_OUTCOME');
    expect(valuesOf(await readAll(log, at))).toEqual(['1']);
    expect(await codeOf(owner.send(at, records('b=2')))).toBe('STREAMS_TRANSACTION_STATE');
  });

  it('make the outcome unknown if the repeated commit is refused: the first had been lost', async () => {
    const at = await newPartition(log, 'unknown');
    const transactionalId = newName('unknown');
    const owner = await producer(transactionalId);
    await owner.send(at, records('a=1'));
    fatesOf(END_TXN, 'drop', async () => {
      await producer(transactionalId);
      return 'pass';
    });

    const code = await codeOf(owner.commit());

    expect(code).toBe('STREAMS_UNKNOWN_OUTCOME');
    expect(await readAll(log, at)).toEqual([]);
  });

  it('during an initialisation leave one producer that works', async () => {
    const at = await newPartition(log, 'init');
    fatesOf(INIT_PRODUCER_ID, 'lose-answer', 'drop');

    const owner = await producer();
    await owner.send(at, records('a=1'));
    await owner.commit();

    expect(valuesOf(await readAll(log, at))).toEqual(['1']);
  });

  it('during a commit of offsets are made up for', async () => {
    const at = await newPartition(log, 'offsets');
    const groupId = newName('group');
    const seen = fatesOf(OFFSET_COMMIT, 'lose-answer', 'drop');

    await log.commitOffsets(groupId, offsetsOf([at, 7]));

    expect(seen()).toBe(3);
    expect([...(await log.committedOffsets(groupId, [at])).values()]).toEqual([{ nextOffset: 7, metadata: '' }]);
  });

  it('during a long poll go unnoticed by its reader', async () => {
    const at = await newPartition(log, 'poll');
    const seen = fatesOf(FETCH, 'drop');

    const waiting = log.fetch([{ ...at, fromOffset: offset(0) }], {
      isolation: 'readCommitted',
      maxWaitMs: 20_000,
      maxBytes: 1_000,
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    proxy.cut();
    await log.append(at, records('a=1'));

    expect((await waiting)[0]?.records.size).toBe(1);
    expect(seen()).toBe(3);
  });
});

describe('a broker that stays away', () => {
  it('is reported when the time for retries is over, reads as unavailable and writes as unknown', async () => {
    const at = await newPartition(log, 'away');
    const impatient = await openLog([`127.0.0.1:${proxy.port}`], { retryTimeoutMs: 700, requestTimeoutMs: 500 });
    const owner = await impatient.initProducer({ transactionalId: newName('away'), transactionTimeoutMs: 20_000 });
    await owner.send(at, records('a=1'));
    await impatient.append(at, records('b=2'));

    proxy.isOpen = false;
    proxy.cut();
    const startedMs = performance.now();
    const codes = await Promise.all([
      codeOf(impatient.listOffsets([at], 'earliest')),
      codeOf(
        impatient.fetch([{ ...at, fromOffset: offset(0) }], { isolation: 'readCommitted', maxWaitMs: 0, maxBytes: 1 }),
      ),
      codeOf(impatient.committedOffsets('group', [at])),
      codeOf(impatient.listTopics()),
      codeOf(impatient.append(at, records('c=3'))),
      codeOf(owner.commit()),
      codeOf(impatient.initProducer({ transactionalId: newName('away'), transactionTimeoutMs: 20_000 })),
    ]);
    const tookMs = performance.now() - startedMs;
    await impatient.close();

    const [unavailable, unknown] = ['STREAMS_UNAVAILABLE', 'STREAMS_UNKNOWN_OUTCOME'];
    expect(codes).toEqual([unavailable, unavailable, unavailable, unavailable, unknown, unknown, unavailable]);
    expect(tookMs).toBeGreaterThan(300);
    expect(tookMs).toBeLessThan(5_000);
  });

  it('is waited for as long as there is time', async () => {
    const at = await newPartition(log, 'back');
    proxy.isOpen = false;
    proxy.cut();

    const appended = log.append(at, records('a=1'));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    proxy.isOpen = true;

    expect(await appended).toBe(0);
  });

  it('keeps a log from being opened, with the reason', async () => {
    proxy.isOpen = false;

    const code = await codeOf(openLog([`127.0.0.1:${proxy.port}`], { retryTimeoutMs: 300 }));

    expect(code).toBe('STREAMS_UNAVAILABLE');
  });
});
