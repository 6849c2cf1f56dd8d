import type { LeaseTransition, SlotTransition } from '../../leases/protocol.js';
import type { Protections } from './protections.js';
import { idOf, type Process, type State } from './state.js';
import type { Deed, Emit } from './step.js';

interface StepDetails {
  readonly deed?: Deed | null;
  readonly transition?: SlotTransition | LeaseTransition | null;
}

/** One process, about to make its next step. */
export interface Turn {
  readonly state: State;
  readonly protections: Protections;
  readonly self: Process;
  /** Its place in `state.processes`. */
  readonly at: number;
  /** A step of its own. */
  emit(label: string | (() => string), after: State, details?: StepDetails): void;
  /** A step that needs a disturbance: none is left, and it does not happen. */
  befall(label: string | (() => string), after: State, details?: StepDetails): void;
}

export function turnOf(state: State, at: number, self: Process, protections: Protections, emit: Emit): Turn {
  return {
    state,
    protections,
    self,
    at,
    emit(label, after, { deed = null, transition = null } = {}) {
      emit({
        label: () => `${nameOf(self)} ${typeof label === 'string' ? label : label()}`,
        after,
        deed,
        transition,
        isReliable: !self.isLate,
      });
    },
    befall(label, after, { deed = null, transition = null } = {}) {
      if (state.disturbancesLeft === 0) return;
      emit({
        label: () => `${nameOf(self)} ${typeof label === 'string' ? label : label()}`,
        after: disturbed(after),
        deed,
        transition,
        isReliable: false,
      });
    },
  };
}

function nameOf(process: Process): string {
  const { memberId, incarnation } = idOf(process);
  return `${memberId}#${incarnation}`;
}

/** The state with one process in another condition, or gone (null). */
export function changed(state: State, at: number, process: Process | null): State {
  const processes =
    process === null
      ? state.processes.filter((_, index) => index !== at)
      : state.processes.map((other, index) => (index === at ? process : other));
  return { ...state, processes };
}

export function disturbed(state: State): State {
  const { disturbancesLeft, disturbances } = state;
  return { ...state, disturbancesLeft: disturbancesLeft - 1, disturbances: disturbances + 1 };
}
