/** The kinds of faults that a user's topology is put through: all after which every result must be as if nothing had happened. */

import type { FaultKind } from '../faults/fault.js';
import { FAULT_KINDS } from '../faults/fault-kinds.js';

/** Names of the kinds of faults, for the option `faults` of `simulate`; docs/testing.md says what each does. */
export const SIMULATION_FAULTS = [
  'crash',
  'freeze',
  'lost-invocation',
  'repeated-invocation',
  'late-invocation',
  'timed-out',
  'deadline',
  'slow-table',
  'table-throttled',
  'table-reply-lost',
  'row-deleted',
  'clock-skew',
  'slow-log',
  'failing-log',
  'transaction-timed-out',
  'foreign-transaction',
  'topic-truncated',
  'compaction',
  'snapshot-torn',
  'snapshot-lost',
  'member-added',
  'member-drained',
  'slot-drained',
  'code-redeployed',
  'schedule-repeated',
] as const;

export type SimulationFault = (typeof SIMULATION_FAULTS)[number];

/** Kinds that damage nothing for good; the others are for the proof of the product, which knows what each may cost. */
export const HARMLESS_KINDS: readonly FaultKind[] = FAULT_KINDS.filter(({ harms }) => harms === undefined);
