/**
 * Whether the application rests: somebody's handler has answered `shutdownApplication`, and nobody has ended that. Pure.
 *
 *   E1  a member asks with its heartbeats; the next tick that sees it writes a plan with `rest`, which grants nothing and lists no slot: members
 *       that run are told of it, release and end, and nobody is invoked
 *   E2  under such a plan nobody takes a lease, doorbells included (R5 of rules.ts)
 *   E3  a rest ends by the word of a person (a tick with `resume`), or with a tick of another deployment than that of the scheduler which wrote it.
 *       Where that was one of before (decision 15), the rest ends once too early: the member fails again, and asks again
 *   E4  a request counts only if its member had read the plan that ended the last rest, or a later one: what slots still hold of an
 *       earlier one is settled
 */
import type { Rest } from '../leases/records.js';
import { compareMemberIds } from '../leases/slots.js';
import type { ApplicationState } from './state.js';

type RestState = Pick<ApplicationState, 'app' | 'plan' | 'members' | 'resume' | 'holdsBack'>;

/** The rest that is, or is to begin; null: there is none, or it ends. */
export function restOf(state: RestState): Rest | null {
  const { plan, app, resume, holdsBack } = state;
  const current = plan?.rest;
  if (current === undefined) return resume ? null : askedFor(state);
  if (holdsBack) return current;
  return resume || current.deployment !== app.settings.deployment ? null : current; // E3
}

/** Why a rest ends, in words; null if the newest plan has none. */
export function resumeReason({ plan, resume, app }: RestState): string | null {
  if (plan?.rest === undefined) return null;
  return resume ? 'rest ended by hand' : `rest ended by deployment '${app.settings.deployment}'`;
}

/** E1, E4: of several, that of the first slot. */
function askedFor({ plan, members, app }: RestState): Rest | null {
  const from = plan?.resumed ?? 0;
  const asked = members
    .flatMap(({ memberId, report: { shutdown } }) =>
      shutdown === undefined || shutdown.planNumber < from ? [] : [{ memberId, shutdown }],
    )
    .sort((a, b) => compareMemberIds(a.memberId, b.memberId))[0];
  if (asked === undefined) return null;
  const { taskId, code, message } = asked.shutdown;
  return { memberId: asked.memberId, taskId, code, message, deployment: app.settings.deployment };
}
