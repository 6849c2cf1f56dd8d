/** Every plan that is written gives every task to exactly one slot (N3 of scheduler/next-plan.ts), on the way to another as well. */

import type { Conditional } from '../../../leases/lease-store.js';
import type { MemberId, Plan } from '../../../leases/records.js';
import type { Effect } from '../simulated-ports.js';
import type { Checker } from './checker.js';
import { problemsOf } from './plans-converge.js';

export const plansAreComplete: Checker = {
  name: 'plans-are-complete',
  watch({ cloud, witness, wrong }) {
    const tasks = witness.map.tasks.map(({ taskId }) => taskId as string);
    const written = (effect: Effect) => {
      if (!effect.ok) return;
      const { applied, item } = effect.answer as Conditional<Plan>;
      if (!applied || cloud.harms.all.length > 0) return; // without its topics there is no task
      for (const problem of problemsOf(item, Object.keys(item.assignment) as MemberId[], tasks)) wrong(problem);
    };
    cloud.listen(written, ['writePlan']);
    return {};
  },
};
