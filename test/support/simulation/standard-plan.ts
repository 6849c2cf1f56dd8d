/** The scenarios that the product is proved with: twelve tasks, two repartitions, five kinds of state, three members or about. */
import type { SettingsInput } from '../../../lib/model/settings.js';
import type { Chance } from '../../../lib/testing/simulation/chance.js';
import { FAULT_KINDS } from '../../../lib/testing/simulation/faults/fault-kinds.js';
import type { ScenarioPlan, UntimedInput } from '../../../lib/testing/simulation/generate-scenario.js';
import type { Subject } from '../../../lib/testing/simulation/subject.js';
import { defaultPartition } from '../../../lib/topology/default-partitioner.js';
import { eventValue } from './recent-events.js';
import { OTHER_PARTITIONS, SINK_TOPICS, SOURCE_TOPICS, standardApp, WORD_PARTITIONS } from './standard-app.js';
import { standardOracle } from './standard-oracle.js';

const RECORDS = 300;
const WORDS = 25;
const NAMES = 15;
const CITIES = 4;
/** Share of the events that are late, and by how much at most: beyond what their windows are kept for. */
const LATE = 0.3;
const LATEST_MS = 200_000;
/** With wall-clock timers the application never sleeps; without, it does. */
const TICK_MS = 5_000;
const NO_TICKS_MS = 86_400_000;
/** The least that the setting may be: offsets are kept every quarter of a minute, and expire while an application sleeps. */
const SHORT_RETENTION_MS = 60_000;

const topics = { ...SOURCE_TOPICS, ...SINK_TOPICS };
const outputs: Subject['outputs'] = {
  counts: 'sequence',
  numbered: 'sequence',
  recent: 'sequence',
  cities: 'last',
  ticks: 'none',
};
const always = { topics, outputs, oracle: standardOracle };
/** Tombstones that compaction takes within a run. */
const FORGETFUL: Readonly<Record<string, string>> = { 'delete.retention.ms': '3000' };
/** Its timers count in the store of numbers. */
const waking = (profilesConfig: Readonly<Record<string, string>>): Subject => ({
  ...always,
  app: standardApp({}, TICK_MS, profilesConfig),
  counting: ['counts', 'numbered', 'ticks'],
  incomparableStores: ['numbers'],
});
const sleeping = (profilesConfig: Readonly<Record<string, string>>): Subject => ({
  ...always,
  app: standardApp({}, NO_TICKS_MS, profilesConfig),
  counting: ['counts', 'numbered'],
  sleeps: true,
});
/** Restores that are held back keep what they have come to, again and again. */
const SLOW_RESTORES: SettingsInput = { snapshotMinRecords: 5, snapshotIntervalMs: 200 };
/** Seeds with the same remainder share a subject. */
const SUBJECTS: readonly Subject[] = [waking, sleeping, sleeping].flatMap((subject) => [
  subject({}),
  subject(FORGETFUL),
]);

/** Beats in which bursts of a scenario ask for members, and give them up. */
const COOLDOWN_MS = 3_000;
const LAG_TARGET_MS = 20;

export function standardPlan(seed: number): ScenarioPlan {
  return {
    subject: SUBJECTS[(seed % 3) * 2 + (Math.floor(seed / 3) % 2)] ?? waking({}),
    kinds: FAULT_KINDS,
    faults: [5, 10],
    members: [2, 4],
    elastic: (chance) => chance.happens(0.25),
    inputs: (chance) => Array.from({ length: RECORDS }, () => input(chance)),
    settings: (chance) => ({
      processingGuarantee: chance.happens(0.85) ? 'exactly_once_v2' : 'at_least_once',
      statestoreCacheMaxBytes: chance.happens(0.7) ? 0 : 1_000,
      numStandbyReplicas: chance.below(3),
      standbyKind: chance.happens(0.6) ? 'hot' : 'snapshot',
      assignor: chance.happens(0.6) ? 'highAvailability' : 'steady',
      acceptableRecoveryLag: chance.pick([0, 5, 10_000]),
      maxWarmupReplicas: chance.between(1, 4),
      membersCooldownMs: COOLDOWN_MS,
      membersLagTargetMs: LAG_TARGET_MS,
      ...(chance.happens(0.3) ? { offsetsRetentionMs: SHORT_RETENTION_MS } : {}),
      ...(chance.happens(0.3) ? { maxConcurrentRestores: chance.between(1, 3) } : {}),
      ...(chance.happens(0.3) ? { ...SLOW_RESTORES, restoreMaxBytesPerSecond: chance.between(3, 100) * 100 } : {}),
      ...(chance.happens(0.4)
        ? {
            storeMode: chance.pick(['lazy', 'lazy', 'auto']),
            snapshotCacheMaxBytes: chance.pick([0, 2_000, 1_000_000]),
          }
        : {}),
    }),
  };
}

function input(chance: Chance): UntimedInput {
  const bytes = (text: string) => Buffer.from(text);
  const keyed = (topic: string, key: string, value: string | null): UntimedInput => ({
    topic,
    partition: defaultPartition(bytes(key), null, OTHER_PARTITIONS),
    key: bytes(key),
    value: value === null ? null : bytes(value),
  });
  switch (chance.below(3)) {
    case 0: {
      const words = Array.from({ length: chance.between(1, 4) }, () => `w${chance.below(WORDS)}`);
      return { topic: 'lines', partition: chance.below(WORD_PARTITIONS), key: null, value: bytes(words.join(' ')) };
    }
    case 1:
      return keyed('events', `e${chance.below(NAMES)}`, eventValue(chance.happens(LATE) ? chance.below(LATEST_MS) : 0));
    default:
      return keyed('profiles', `n${chance.below(NAMES)}`, chance.happens(0.2) ? null : `c${chance.below(CITIES)}`);
  }
}
