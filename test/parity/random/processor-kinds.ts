/** The processors of random cases: what they read, what they give, and the store that they need. */
import type { Chance } from '../../../lib/testing/simulation/chance.js';
import type { CaseStore } from '../build-topology.js';
import type { ProcessorRef } from '../case-processors.js';
import type { Commands } from './random-commands.js';

/** What the values of a stream are. */
export type Content = 'text' | 'long' | Commands;

export interface ProcessorKind {
  readonly type: string;
  readonly reads: readonly Content[];
  /** Absent: what it read. */
  readonly gives?: Content;
  readonly options?: (choice: Chance) => Omit<ProcessorRef, 'type'>;
  readonly store?: (choice: Chance) => Omit<CaseStore, 'name'>;
}

const ANY: readonly Content[] = ['text', 'long', 'keyValue', 'window', 'versioned'];
const keyValue = (choice: Chance) => ({ type: 'keyValue', ...inMemory(choice) });
const retentionMs = (choice: Chance) => choice.pick([50, 400, 2_000, 100_000]);

/** All of them, but `route` and those of global stores: these ask for more than a parent. */
export const processorKinds: readonly ProcessorKind[] = [
  { type: 'forward', reads: ANY },
  { type: 'shiftTimestamp', reads: ANY, options: (choice) => ({ byMs: choice.pick([1, 100, -20]) }) },
  {
    type: 'addHeader',
    reads: ANY,
    options: (choice) => ({ header: choice.pick(['h', 'g']), headerValue: choice.pick(['1', 'x']) }),
  },
  { type: 'metadata', reads: ['text'] },
  { type: 'dupForward', reads: ['text'] },
  {
    type: 'punctuate',
    reads: ['text'],
    options: (choice) => ({ ...timer(choice), ...(choice.happens(0.3) ? { cancelAfter: choice.between(1, 3) } : {}) }),
  },
  { type: 'flushOnPunctuate', reads: ['text'], options: timer, store: keyValue },
  {
    type: 'storeCounter',
    reads: ANY,
    gives: 'long',
    store: (choice) => ({ ...keyValue(choice), value: 'long' }),
  },
  { type: 'running', reads: ['text'], store: keyValue },
  { type: 'tsKvPut', reads: ['text'], store: (choice) => ({ ...keyValue(choice), type: 'timestampedKeyValue' }) },
  {
    type: 'dedup',
    reads: ['text'],
    options: (choice) => ({ windowMs: choice.pick([0, 20, 60]) }),
    store: (choice) => ({ type: 'window', retentionMs: retentionMs(choice), windowMs: 20, ...inMemory(choice) }),
  },
  {
    type: 'sessionAppend',
    reads: ['text'],
    options: (choice) => ({ gapMs: choice.pick([0, 10, 30, 100]) }),
    store: (choice) => ({ type: 'session', retentionMs: retentionMs(choice), ...inMemory(choice) }),
  },
  { type: 'kvCommand', reads: ['keyValue'], gives: 'text', store: keyValue },
  {
    type: 'windowCommand',
    reads: ['window'],
    gives: 'text',
    store: (choice) => ({
      type: 'window',
      retentionMs: retentionMs(choice),
      windowMs: choice.pick([1, 20]),
      ...inMemory(choice),
      ...(choice.happens(0.3) ? { retainDuplicates: true } : {}),
    }),
  },
  {
    type: 'versionedPut',
    reads: ['versioned'],
    gives: 'text',
    store: (choice) => ({ type: 'versioned', historyRetentionMs: choice.pick([0, 50, 200, 1_000, 100_000]) }),
  },
];

function timer(choice: Chance) {
  return { clock: choice.pick(['stream', 'wall'] as const), intervalMs: choice.pick([1, 10, 50, 200]) };
}

function inMemory(choice: Chance) {
  return choice.happens(0.5) ? { inMemory: true } : {};
}
