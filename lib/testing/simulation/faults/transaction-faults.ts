/** What goes wrong between the first send of a transaction and its end. */
import { RecordSetBuilder } from '../../../model/record-set-builder.js';
import type { Cloud } from '../cloud.js';
import type { PortCall } from '../simulated-ports.js';
import { atCall, named } from './at-call.js';
import { early, moment } from './draw.js';
import type { Fault, FaultKind } from './fault.js';

/** Transactions of a scenario: from some 25, if it sleeps most of the time, to some 450. */
const TRANSACTIONS_MOST = 200;
/** Time of others' transactions, in milliseconds: below the time after which a restore gives up waiting. */
const FOREIGN_LEAST_MS = 500;
const FOREIGN_MOST_MS = 8_000;

const isCommit = ({ port, method }: PortCall) => port === 'producer' && method === 'commit';
const isSend = ({ port, method }: PortCall) => port === 'producer' && /^send/.test(method);

/**
 * Hooks that act once in the n-th transaction: when something was sent, when nothing but the commit
 * is missing, or, of a fault that is aimed at services, after the n-th call of one.
 */
function inTransaction(fault: Fault, act: (call: PortCall) => void) {
  const nth = Number(fault.transaction);
  const isOutside = ({ port }: PortCall) => port === 'outside';
  const once = (call: PortCall): undefined => {
    act(call);
  };
  if (fault.port === 'outside') return { after: atCall(nth, isOutside, once) };
  return fault.beforeCommit === true ? { before: atCall(nth, isCommit, once) } : { after: atCall(nth, isSend, once) };
}

export const timedOut: FaultKind = {
  kind: 'timed-out',
  about: "the function's time-out ends the process in mid-transaction",
  make: (chance) => ({
    kind: 'timed-out',
    transaction: early(chance, TRANSACTIONS_MOST),
    beforeCommit: chance.happens(0.5),
  }),
  activate: (fault, _cloud, fired) =>
    inTransaction(fault, (call) => {
      fired(named(call));
      call.process.kill('timed out');
    }),
};

export const transactionTimedOut: FaultKind = {
  kind: 'transaction-timed-out',
  about: 'a process stands still in mid-transaction until the broker aborts the transaction',
  make: (chance, { transactionTimeoutMs }) => ({
    kind: 'transaction-timed-out',
    transaction: early(chance, TRANSACTIONS_MOST),
    beforeCommit: chance.happens(0.5),
    ms: transactionTimeoutMs + chance.between(1, transactionTimeoutMs),
  }),
  activate: (fault, _cloud, fired) =>
    inTransaction(fault, (call) => {
      fired(named(call));
      call.process.freeze(Number(fault.ms));
    }),
};

export const foreignTransaction: FaultKind = {
  kind: 'foreign-transaction',
  about:
    "somebody else's transaction hangs open on an input, repartition or changelog partition and is aborted in the end",
  make: (chance, size) => ({
    kind: 'foreign-transaction',
    atMs: moment(chance, size),
    topic: chance.below(1_000),
    partition: chance.below(1_000),
    records: chance.between(1, 3),
    ms: chance.between(FOREIGN_LEAST_MS, FOREIGN_MOST_MS),
  }),
  activate: (fault, cloud, fired) => ({ begin: () => cloud.inBackground(hang(fault, cloud, fired)) }),
};

async function hang(fault: Fault, cloud: Cloud, fired: (details: Readonly<Record<string, unknown>>) => void) {
  if (!(await cloud.until(Number(fault.atMs)))) return;
  const names = await cloud.log.listTopics();
  const [described] = [...(await cloud.log.describeTopics(names.slice(Number(fault.topic) % names.length))).values()];
  if (described === undefined) return;
  const at = { topic: described.name, partition: Number(fault.partition) % described.partitions };
  const producer = await cloud.log.initProducer({
    transactionalId: `somebody-else-${String(fault.atMs)}`,
    transactionTimeoutMs: Number(fault.ms),
  });
  const records = new RecordSetBuilder();
  for (let count = Number(fault.records); count > 0; count -= 1)
    records.append(Buffer.from('(aborted)'), Buffer.from('(aborted)'), cloud.time.clock.now());
  await producer.send(at, records.build());
  fired({ ...at, ms: Number(fault.ms) });
}
