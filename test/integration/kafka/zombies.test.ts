/** Producers that are no longer the owner of their transactional id, on a broker (traps 8; docs/design.md §4). */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { KafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import type { TransactionalProducer } from '../../../lib/log/log.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { offsetsOf, records } from '../../../lib/testing/conformance/log/scene.js';
import { codeOf } from '../../../lib/testing/conformance/test-runner.js';
import { newName, newPartition, openLog, readAll, valuesOf } from '../../support/kafka/log-kit.js';
import { waitFor } from '../../support/wait-for.js';

const FENCED = 'STREAMS_PRODUCER_FENCED';

let log: KafkaLog;

beforeAll(async () => {
  log = await openLog(inject('kafkaBrokers'), { endReturns: 'visible' });
});
afterAll(() => log.close());

function producer(transactionalId: string, transactionTimeoutMs = 20_000): Promise<TransactionalProducer> {
  return log.initProducer({ transactionalId, transactionTimeoutMs });
}

async function stableOffset(at: { topic: string; partition: number }): Promise<number | undefined> {
  return (await log.listOffsets([at], 'lastStable')).get(topicPartitionKey(at));
}

describe('a zombie that initialises late', () => {
  it('fences the owner, and finds the offsets that the owner has committed (trap 8)', async () => {
    const at = await newPartition(log, 'late');
    const [groupId, transactionalId] = [newName('group'), newName('late')];
    const owner = await producer(transactionalId);
    await owner.send(at, records('a=1'));
    await owner.sendOffsets(groupId, offsetsOf([at, 5]));
    await owner.commit();

    const zombie = await producer(transactionalId);
    const found = await log.committedOffsets(groupId, [at]);
    const codes = [await codeOf(owner.send(at, records('b=2'))), await codeOf(owner.commit())];
    await zombie.close();

    expect([...found.values()]).toEqual([{ nextOffset: 5, metadata: '' }]);
    expect(codes).toEqual([FENCED, FENCED]);
    expect(valuesOf(await readAll(log, at))).toEqual(['1']);
  });

  it('ends the transaction of the owner, whose offsets are not committed', async () => {
    const at = await newPartition(log, 'late');
    const [groupId, transactionalId] = [newName('group'), newName('late')];
    const owner = await producer(transactionalId);
    await owner.send(at, records('a=1'));
    await owner.sendOffsets(groupId, offsetsOf([at, 5]));

    await producer(transactionalId);

    expect((await log.committedOffsets(groupId, [at])).size).toBe(0);
    expect(await codeOf(owner.commit())).toBe(FENCED);
    expect(await readAll(log, at)).toEqual([]);
  });

  it('may take turns with the owner at every step without a record twice or by halves', async () => {
    const [left, right] = [await newPartition(log, 'left'), await newPartition(log, 'right')];
    const transactionalId = newName('turns');
    const committed: string[] = [];

    for (let round = 0; round < 12; round += 1) {
      const value = String(round);
      const [owner, rival] = await Promise.all([producer(transactionalId), producer(transactionalId)]);
      for (const one of [owner, rival]) {
        const done = await codeOf(
          (async () => {
            await Promise.all([one.send(left, records(`k=${value}`)), one.send(right, records(`k=${value}`))]);
            await one.commit();
          })(),
        );
        if (done === 'no error') committed.push(value);
      }
    }

    expect(new Set(committed).size).toBe(committed.length);
    expect(valuesOf(await readAll(log, left))).toEqual(committed);
    expect(valuesOf(await readAll(log, right))).toEqual(committed);
  });
});

describe('a transaction that the broker ended because it was open for too long', () => {
  it('is refused at its commit, leaves nothing, and a new initialisation goes on', async () => {
    const at = await newPartition(log, 'time-out');
    const transactionalId = newName('time-out');
    const slow = await producer(transactionalId, 1_000);
    await slow.send(at, records('s=0'));

    await waitFor('the broker to end the transaction', async () => (await stableOffset(at)) === 2);
    const codes = [await codeOf(slow.commit()), await codeOf(slow.send(at, records('s=1')))];
    const next = await producer(transactionalId, 1_000);
    await next.send(at, records('n=2'));
    await next.commit();

    expect(codes).toEqual([FENCED, FENCED]);
    expect(await readAll(log, at)).toEqual(['2:n=2']);
  });
});
