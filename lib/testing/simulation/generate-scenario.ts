/** From a seed to a scenario: what input arrives when, how the application is set, and what goes wrong. */
import { resolveSettings, type SettingsInput } from '../../model/settings.js';
import type { Chance } from './chance.js';
import { createChance } from './chance.js';
import type { Fault, FaultKind, ScenarioSize } from './faults/fault.js';
import type { Scenario, ScenarioInput } from './scenario.js';
import type { Subject } from './subject.js';
import { VirtualTime } from './virtual-time.js';

/** An input of a scenario before it has a time; without a timestamp of its own it gets that of its arrival. */
export type UntimedInput = Pick<ScenarioInput, 'topic' | 'partition' | 'key' | 'value'> &
  Partial<Pick<ScenarioInput, 'timestampMs'>>;

export interface ScenarioPlan {
  readonly subject: Subject;
  /** Draws the records of one scenario, in the order in which they are appended. */
  readonly inputs: (chance: Chance) => readonly UntimedInput[];
  /** Kinds to draw faults from. */
  readonly kinds: readonly FaultKind[];
  /** Faults of one scenario: at least and at most (inclusive). */
  readonly faults: readonly [number, number];
  /** Members at the start: at least and at most (inclusive). */
  readonly members: readonly [number, number];
  /** Whether the scheduler is to decide how many members are wanted, up to those drawn; absent: never. */
  readonly elastic?: (chance: Chance) => boolean;
  /** Settings drawn for one scenario, over {@link QUICK_SETTINGS} and the application's own. */
  readonly settings?: (chance: Chance) => SettingsInput;
}

/** Beats in which whole lives of members fit into a minute of virtual time. */
export const QUICK_SETTINGS: SettingsInput = {
  commitIntervalMs: 100,
  pollMs: 1_000,
  heartbeatIntervalMs: 500,
  sessionTimeoutMs: 3_000,
  tickIntervalMs: 500,
  transactionTimeoutMs: 3_000,
  repartitionPurgeIntervalMs: 2_000,
  idleTimeoutMs: 5_000,
  snapshotMinRecords: 20,
  snapshotIntervalMs: 2_000,
  restoreStallTimeoutMs: 20_000,
};

/** Share of the scenarios in which input rings. */
const DOORBELLS = 0.5;
/** Virtual time during which input arrives and faults begin, in milliseconds. */
const ACTIVE_MS = 30_000;
/** From then until nothing goes wrong any more. */
const FADING_MS = 15_000;
const TASK_TIMEOUTS_MS = [15_000, 25_000, 60_000, 120_000];

/** The scenario of a seed: the same for the same plan. */
export function generateScenario(plan: ScenarioPlan, seed: number): Scenario {
  const chance = createChance(seed, 'scenario');
  const members = chance.between(...plan.members);
  const settings = { ...QUICK_SETTINGS, ...plan.settings?.(createChance(seed, 'settings')) };
  const resolved = resolveSettings({ ...plan.subject.app.settings, ...settings });
  return {
    seed,
    members,
    ...(plan.elastic?.(createChance(seed, 'elastic')) === true ? { elastic: true } : {}),
    settings,
    taskTimeoutMs: chance.pick(TASK_TIMEOUTS_MS),
    doorbells: chance.happens(DOORBELLS),
    inputs: timed(plan.inputs(createChance(seed, 'inputs')), createChance(seed, 'times')),
    faults: faults(plan, createChance(seed, 'faults'), {
      activeMs: ACTIVE_MS,
      members,
      sessionTimeoutMs: resolved.sessionTimeoutMs,
      transactionTimeoutMs: resolved.transactionTimeoutMs,
      sourceTopics: Object.keys(plan.subject.topics),
    }),
    calmAtMs: ACTIVE_MS + FADING_MS,
  };
}

function faults({ kinds, faults }: ScenarioPlan, chance: Chance, size: ScenarioSize): readonly Fault[] {
  if (kinds.length === 0) return [];
  return Array.from({ length: chance.between(...faults) }, () => drawn(kinds, chance).make(chance, size));
}

function drawn(kinds: readonly FaultKind[], chance: Chance): FaultKind {
  const weightOf = ({ weight }: FaultKind) => weight ?? 1;
  let left = chance.next() * kinds.reduce((sum, kind) => sum + weightOf(kind), 0);
  for (const kind of kinds) {
    left -= weightOf(kind);
    if (left < 0) return kind;
  }
  return chance.pick(kinds);
}

/** Input comes in bursts with pauses between them. */
function timed(inputs: readonly UntimedInput[], chance: Chance): readonly ScenarioInput[] {
  const wallClockMs = new VirtualTime().clock.now();
  const bursts = Array.from({ length: chance.between(3, 12) }, () => chance.below(ACTIVE_MS));
  const times = inputs.map(() => chance.pick(bursts) + chance.below(1_000)).sort((a, b) => a - b);
  return inputs.map((input, index) => {
    const atMs = times[index] ?? 0;
    return { ...input, atMs, timestampMs: input.timestampMs ?? wallClockMs + atMs };
  });
}
