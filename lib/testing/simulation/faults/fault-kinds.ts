/** Every kind of fault there is. A kind that is not in this list is never drawn and never counted. */
import { clockSkew } from './clock-faults.js';
import { deadline } from './deadline-faults.js';
import type { FaultKind } from './fault.js';
import { lateInvocation, lostInvocation, repeatedInvocation } from './invocation-faults.js';
import { failingLog, slowLog } from './log-faults.js';
import { offsetsExpired } from './offset-faults.js';
import { codeRedeployed, memberAdded, memberDrained, scheduleRepeated, slotDrained } from './operator-faults.js';
import { crash, freeze } from './process-faults.js';
import { changelogRecreated, topicRecreated } from './recreated-topic-faults.js';
import { snapshotLost, snapshotTorn } from './snapshot-faults.js';
import { rowDeleted, slowTable, tableReplyLost, tableThrottled } from './table-faults.js';
import { compaction, inputLost, topicTruncated } from './topic-faults.js';
import { foreignTransaction, timedOut, transactionTimedOut } from './transaction-faults.js';

export const FAULT_KINDS: readonly FaultKind[] = [
  crash,
  freeze,
  lostInvocation,
  repeatedInvocation,
  lateInvocation,
  timedOut,
  deadline,
  slowTable,
  tableThrottled,
  tableReplyLost,
  rowDeleted,
  clockSkew,
  slowLog,
  failingLog,
  transactionTimedOut,
  foreignTransaction,
  topicTruncated,
  inputLost,
  topicRecreated,
  changelogRecreated,
  compaction,
  offsetsExpired,
  snapshotTorn,
  snapshotLost,
  memberAdded,
  memberDrained,
  slotDrained,
  codeRedeployed,
  scheduleRepeated,
];

/** @throws {RangeError} if there is no such kind */
export function faultKind(kind: string): FaultKind {
  const found = FAULT_KINDS.find((one) => one.kind === kind);
  if (found === undefined) throw new RangeError(`no fault is called '${kind}'`);
  return found;
}
