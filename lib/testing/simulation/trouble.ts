/**
 * Until when what goes wrong is explained by a fault.
 *
 * A fault explains until its window closes: the moment at which it took effect, or later by what it says (`untilMs`) or by the
 * longest time that a fault of its kind was given in the scenario (`ms`). What an invocation that failed or never came leaves
 * behind is a consequence of a fault, and counts from when it happened.
 */
import type { Scenario } from './scenario.js';
import type { Timeline } from './timeline.js';

const CONSEQUENCES = new Set(['invocation-failed', 'invocation-lost', 'payload-expired', 'invocation-refused']);

export class Trouble {
  private lastMs = 0;

  constructor(timeline: Timeline, scenario: Pick<Scenario, 'faults'>) {
    const windows = new Map<string, number>();
    for (const { kind, ms } of scenario.faults) windows.set(kind, Math.max(windows.get(kind) ?? 0, Number(ms ?? 0)));
    timeline.listen(({ atMs, who, event, fields }) => {
      if (who === 'fault') this.until(Math.max(atMs + (windows.get(event) ?? 0), Number(fields.untilMs ?? 0)));
      else if (CONSEQUENCES.has(event)) this.until(atMs);
    });
  }

  /** Virtual milliseconds from which on nothing is explained by a fault of the past; it may lie ahead. */
  get untilMs(): number {
    return this.lastMs;
  }

  private until(ms: number): void {
    this.lastMs = Math.max(this.lastMs, ms);
  }
}
