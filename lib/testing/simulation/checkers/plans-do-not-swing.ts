/**
 * Plans do not swing between the settings of two deployments: an invocation of the scheduler plans against the settings of the newest
 * plan when it begins, and not again (G1, G2 of scheduler/precedence.ts).
 *
 * It may twice: where the answer to its plan is lost and another that has just begun writes the next one, it does not know that it
 * has begun. Holding back lasts as long as an invocation (G3), so there is no third time.
 */

import type { Conditional } from '../../../leases/lease-store.js';
import type { Plan } from '../../../leases/records.js';
import type { Effect } from '../simulated-ports.js';
import type { Checker } from './checker.js';

/** By one invocation. */
const OVERRULED_MOST = 2;

export const plansDoNotSwing: Checker = {
  name: 'plans-do-not-swing',
  watch({ cloud, wrong }) {
    let newest: Plan | null = null;
    const overruled = new Map<string, number>();
    cloud.timeline.listen(({ who, event }) => {
      if (event === 'invocation-started') overruled.delete(who);
    });
    const written = (effect: Effect) => {
      if (!effect.ok) return;
      const { process } = effect;
      const { applied, item } = effect.answer as Conditional<Plan>;
      if (!applied) return;
      const isOther = newest !== null && newest.settingsDigest !== item.settingsDigest;
      newest = item;
      if (!isOther) return;
      const times = (overruled.get(process.name) ?? 0) + 1;
      overruled.set(process.name, times);
      if (times <= OVERRULED_MOST) return;
      const why = `plan ${item.number}, ${item.reason}`;
      wrong(`${process.name} plans against the settings of others once more, after ${OVERRULED_MOST} times: ${why}`);
    };
    cloud.listen(written, ['writePlan']);
    return {};
  },
};
