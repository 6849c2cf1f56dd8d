/** What many runs came to. */
import { TRANSITIONS } from '../../../lib/testing/simulation/coverage.js';
import { FAULT_KINDS } from '../../../lib/testing/simulation/faults/fault-kinds.js';
import type { Counts, SeedResult } from './worker-jobs.js';

const REFUSED = 'refused: ';

export interface Tally {
  seeds: number;
  violations: number;
  virtualMs: number;
  readonly faultsDrawn: Map<string, number>;
  readonly faultsFired: Map<string, number>;
  readonly transitions: Map<string, number>;
  readonly events: Map<string, number>;
}

/** From this many seeds on, every kind of fault and every transition has to have happened. */
export const SEEDS_FOR_ALL = 500;

/** Of no runs: every name that there is, at 0. */
export function tallyOf(): Tally {
  const none = (names: readonly string[]) => new Map(names.map((name) => [name, 0] as const));
  const kinds = FAULT_KINDS.map(({ kind }) => kind);
  return {
    seeds: 0,
    violations: 0,
    virtualMs: 0,
    faultsDrawn: none(kinds),
    faultsFired: none(kinds),
    transitions: none(TRANSITIONS),
    events: new Map(),
  };
}

export function addTo(tally: Tally, result: SeedResult): void {
  tally.seeds += 1;
  tally.violations += result.violations.length;
  tally.virtualMs += result.lastedMs;
  add(tally.faultsDrawn, result.faultsDrawn);
  add(tally.faultsFired, result.faultsFired);
  add(tally.transitions, result.transitions);
  add(tally.events, result.events);
}

/** Kinds of faults and transitions that never happened; that a write is refused is no transition. */
export function neverHappened({ faultsFired, transitions }: Tally): readonly string[] {
  const zeros = (what: string, counts: ReadonlyMap<string, number>) =>
    [...counts].filter(([, count]) => count === 0).map(([name]) => `${what} ${name}`);
  return [
    ...zeros('fault', faultsFired),
    ...zeros('transition', transitions).filter((name) => !name.includes(REFUSED)),
  ];
}

function add(to: Map<string, number>, counts: Counts): void {
  for (const [name, count] of Object.entries(counts)) to.set(name, (to.get(name) ?? 0) + count);
}
