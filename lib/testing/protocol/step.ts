import type { MemberCommand, SlotItem } from '../../leases/member-transitions.js';
import type { LeaseTransition, SlotTransition } from '../../leases/protocol.js';
import type { Lease, Member, Plan } from '../../leases/records.js';
import type { Index, Process, State } from './state.js';

/** What a step did, for the invariants to judge. */
export type Deed =
  | {
      readonly type: 'slot';
      readonly slot: Index;
      readonly command: MemberCommand['type'];
      readonly after: SlotItem | null;
    }
  | {
      readonly type: 'decide-to-take';
      readonly by: Process;
      readonly task: Index;
      readonly lease: Lease | null;
      readonly members: readonly Member[] | null;
    }
  | { readonly type: 'take'; readonly by: Process; readonly task: Index; readonly after: Lease }
  | { readonly type: 'release'; readonly by: Process; readonly task: Index }
  | { readonly type: 'plan'; readonly after: Plan }
  | { readonly type: 'commit'; readonly by: Process; readonly task: Index };

/** One atomic step: a read or a conditional write of one actor, or something that befalls one. */
export interface Step {
  /** What happened, in words. */
  readonly label: () => string;
  readonly after: State;
  readonly deed: Deed | null;
  readonly transition: SlotTransition | LeaseTransition | null;
  /** Whether it can be relied upon: a step of the scheduler, of a process that is not late, or an invocation that arrives. */
  readonly isReliable: boolean;
}

/** Receives the steps that are possible in a state. */
export type Emit = (step: Step) => void;
