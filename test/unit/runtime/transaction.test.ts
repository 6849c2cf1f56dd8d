import { beforeEach, expect, it } from 'vitest';
import type { TransactionalProducer } from '../../../lib/log/log.js';
import { RecordTooLargeError, TransactionStateError } from '../../../lib/model/errors.js';
import { offset } from '../../../lib/model/offset.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import type { Settings } from '../../../lib/model/settings.js';
import { type TopicPartition, topicPartitionKey } from '../../../lib/model/topic-partition.js';
import type { StopReason } from '../../../lib/runtime/stop.js';
import { commitTransaction } from '../../../lib/runtime/transaction.js';
import { createTaskWorld, INPUT, OUTPUT } from '../../support/task-world.js';

const IN = topicPartitionKey({ topic: INPUT, partition: 0 });
const OUT = topicPartitionKey({ topic: OUTPUT, partition: 0 });

const STEPS = ['send', 'sendOffsets', 'commit'];

let calls: string[];
let producer: TransactionalProducer;

const recording = <T extends object>(target: T, names: readonly string[]): T =>
  new Proxy(target, {
    get(from, property) {
      const member: unknown = Reflect.get(from, property);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (names.includes(String(property))) calls.push(String(property));
        return Reflect.apply(member, from, args);
      };
    },
  });

beforeEach(async () => {
  calls = [];
  const { ports } = await createTaskWorld();
  const inner = await ports.log.initProducer({ transactionalId: 'p', transactionTimeoutMs: 5_000 });
  producer = recording(inner, STEPS);
});

async function commit(
  guarantee: Settings['processingGuarantee'],
  withRecords: boolean,
  withOffsets = true,
  stop: { readonly reason: StopReason | null } = { reason: null },
) {
  const builder = new RecordSetBuilder();
  if (withRecords) builder.append(Buffer.from('k'), Buffer.from('v'), 1);
  const offsets = new Map(withOffsets ? [[IN, { nextOffset: offset(0), metadata: '' }]] : []);
  await commitTransaction({
    producer,
    guarantee,
    groupId: 'app',
    records: [new Map([[OUT, builder.build()]])],
    offsets,
    stop,
  });
}

it('exactly once puts records and offsets into one transaction, offsets last', async () => {
  await commit('exactly_once_v2', true);

  expect(calls).toEqual(['send', 'sendOffsets', 'commit']);
});

it('at least once commits offsets only after the records are committed, and through the producer, which a stale owner is not any more', async () => {
  await commit('at_least_once', true);

  expect(calls).toEqual(['send', 'commit', 'sendOffsets', 'commit']);
});

it('sends nothing for what is empty', async () => {
  await commit('exactly_once_v2', false);
  await commit('at_least_once', false);
  await commit('exactly_once_v2', false, false);

  expect(calls).toEqual(['sendOffsets', 'commit', 'sendOffsets', 'commit']);
});

it.each([
  ['exactly_once_v2', ['send'], ['send', 'sendOffsets']],
  ['at_least_once', ['send'], ['send', 'commit'], ['send', 'commit', 'sendOffsets']],
] as const)('%s takes no further step once the slot is lost (trap 40)', async (guarantee, ...stepsBefore) => {
  for (const steps of stepsBefore) {
    calls = [];
    const { ports } = await createTaskWorld();
    producer = recording(await ports.log.initProducer({ transactionalId: 'p', transactionTimeoutMs: 5_000 }), STEPS);
    const stop = {
      get reason() {
        return calls.length === steps.length ? ('lost' as const) : null;
      },
    };

    await expect(commit(guarantee, true, true, stop)).rejects.toMatchObject({ code: 'STREAMS_ABORTED' });

    expect(calls).toEqual(steps);
  }
});

it('names what began it, not what was refused because of that, and tells of the records that do not fit', async () => {
  const sends = new Map<string, () => Promise<void>>([
    ['first', () => Promise.reject(new TransactionStateError('an earlier call of it failed'))],
    ['second', () => Promise.reject(new RecordTooLargeError('too large', { refused: [1, 3] }))],
  ]);
  const failing = { ...producer, send: ({ topic }: TopicPartition) => sends.get(topic)?.() ?? Promise.resolve() };
  const builder = new RecordSetBuilder();
  const setOfOne = () => {
    builder.append(Buffer.from('k'), Buffer.from('v'), 1);
    return builder.build();
  };
  const told: unknown[] = [];

  const outcome = commitTransaction({
    producer: failing,
    guarantee: 'exactly_once_v2',
    groupId: 'app',
    records: [new Map([...sends.keys()].map((topic) => [topicPartitionKey({ topic, partition: 0 }), setOfOne()]))],
    offsets: new Map(),
    stop: { reason: null },
    refused: (_, indexes, { topic }) => told.push({ topic, indexes }),
  });

  await expect(outcome).rejects.toThrow('too large');
  expect(told).toEqual([{ topic: 'second', indexes: [1, 3] }]);
});
