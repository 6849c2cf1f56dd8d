import type { State } from './state.js';
import type { Emit } from './step.js';
import { disturbed } from './turn.js';

/** Emits what an operator can do: want one member fewer, or two again. */
export function operatorSteps(state: State, emit: Emit): void {
  if (state.disturbancesLeft === 0) return;
  const wanted = state.wanted === 2 ? 1 : 2;
  const label = () => `the operator wants ${wanted} member${wanted === 1 ? '' : 's'}`;
  emit({ label, after: disturbed({ ...state, wanted }), deed: null, transition: null, isReliable: false });
}
