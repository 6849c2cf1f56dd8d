import type { Chance } from '../../../lib/testing/simulation/chance.js';
import type { CaseWindow } from '../case-nodes.js';

/** Windows of any kind, mostly small against the times of random inputs. */
export function randomWindow(choice: Chance): { readonly window: CaseWindow; readonly session: boolean } {
  const graceMs = choice.pick([0, 0, 20, 50, 300, 2_000]);
  const sizeMs = choice.pick([10, 50, 100, 150]);
  const type = choice.pick([
    'tumbling',
    'tumbling',
    'hopping',
    'hopping',
    'sliding',
    'sliding',
    'session',
    'session',
    'unlimited',
  ]);
  switch (type) {
    case 'hopping':
      return {
        window: { type, sizeMs, advanceMs: choice.pick([5, 10, 30, 50].filter((ms) => ms <= sizeMs)), graceMs },
        session: false,
      };
    case 'sliding':
      return { window: { type, timeDifferenceMs: choice.pick([1, 5, 20, 60, 150]), graceMs }, session: false };
    case 'session':
      return { window: { type, gapMs: choice.pick([0, 10, 40, 100]), graceMs }, session: true };
    case 'unlimited':
      return { window: { type, startMs: choice.pick([0, 100]) }, session: false };
    default:
      return { window: { type, sizeMs, graceMs }, session: false };
  }
}
