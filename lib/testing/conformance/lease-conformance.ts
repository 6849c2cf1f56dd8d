/**
 * What every adapter of the lease port has to keep: M1–M6 and E1–E4 of lib/leases, each condition from both sides, and that of
 * two writers who expect the same item one applies.
 */
import type { LeaseStore } from '../../leases/lease-store.js';
import { historyConformance } from './lease/history.js';
import { leasesConformance } from './lease/leases.js';
import { membersConformance } from './lease/members.js';
import { plansConformance } from './lease/plans.js';
import type { TestRunner } from './test-runner.js';

export interface LeaseConformanceTarget {
  /** What the suite is called, e.g. `memory`. */
  readonly name: string;
  /** Opens empty tables that keep at most `plansKept` plans; each test opens its own. */
  createStore(options: { readonly plansKept: number }): Promise<LeaseStore>;
}

/** Declares the suite's tests with the runner's functions. */
export function describeLeaseConformance(target: LeaseConformanceTarget, runner: TestRunner): void {
  const open = () => target.createStore({ plansKept: 3 });
  runner.describe(`lease port: ${target.name}`, () => {
    membersConformance(open, runner);
    leasesConformance(open, runner);
    plansConformance(open, runner);
    historyConformance(open, runner);
  });
}
