/** Walks every state that can be reached, breadth first: the first violation that it meets is one with a shortest path. */
import type { LeaseTransition, SlotTransition } from '../../leases/protocol.js';
import { InternalError } from '../../model/errors.js';
import { INVARIANTS, type Invariant, isAtWork } from './invariants.js';
import { StateKeys } from './keys.js';
import { operatorSteps } from './operator-steps.js';
import { invocationSteps, processSteps } from './process-steps.js';
import { ALL_PROTECTIONS, type Protections } from './protections.js';
import { settled } from './settle.js';
import { initialState, type State } from './state.js';
import type { Emit, Step } from './step.js';
import { besideListing, tickSteps } from './tick-steps.js';

/** Disturbances of a whole exploration, and the states after which it stops, unless told otherwise. */
export const DEFAULT_DISTURBANCES = 1;
export const MAX_STATES = 2_000_000;

export interface ExploreOptions {
  /** Which protections are on; all unless given. */
  readonly protections?: Protections;
  /** Crashes, freezes, lost answers, drains, stops, doorbells, overlaps and changes of the number of members, in all. */
  readonly disturbances?: number;
  /** States after which it stops, complete or not. */
  readonly maxStates?: number;
}

export interface Violation {
  readonly invariant: Invariant;
  /** The steps that lead to it, from the empty tables on. */
  readonly path: readonly string[];
}

export interface Exploration {
  /** Whether every state that can be reached was met, without a violation. If not, M11 was not judged. */
  readonly isComplete: boolean;
  readonly states: number;
  /** Steps from one state to another or itself. */
  readonly steps: number;
  /** Steps to the farthest state. */
  readonly depth: number;
  /** How often each transition of the tables was taken. */
  readonly transitions: ReadonlyMap<SlotTransition | LeaseTransition, number>;
  readonly violation: Violation | null;
}

/** Explores the protocol, to the end or to the first violation. */
export function explore(options: ExploreOptions = {}): Exploration {
  const { protections = ALL_PROTECTIONS, disturbances = DEFAULT_DISTURBANCES, maxStates = MAX_STATES } = options;
  const walk = new Walk(protections);
  walk.meet(initialState(disturbances), -1, () => '');
  for (let at = 0; at < walk.states; at++) {
    if (walk.states > maxStates) return walk.result(null, false);
    const before = walk.next(at);
    let broken: { readonly step: Step; readonly invariant: Invariant } | null = null;
    const emit: Emit = (step) => {
      if (broken !== null) return;
      const invariant = INVARIANTS.find(({ holds }) => holds !== undefined && !holds(before, step));
      if (invariant !== undefined) broken = { step, invariant };
      else walk.take(at, step);
    };
    stepsOf(before, protections, emit);
    const found = broken as { readonly step: Step; readonly invariant: Invariant } | null;
    if (found !== null)
      return walk.result({ invariant: found.invariant, path: [...walk.pathTo(at), found.step.label()] });
  }
  const stuck = walk.firstStuck();
  const invariant = INVARIANTS.find(({ holds }) => holds === undefined);
  return walk.result(stuck === null || invariant === undefined ? null : { invariant, path: walk.pathTo(stuck) });
}

function stepsOf(state: State, protections: Protections, emit: Emit): void {
  const beside = besideListing(state, protections, emit);
  processSteps(state, protections, beside);
  invocationSteps(state, protections, beside);
  tickSteps(state, protections, emit);
  operatorSteps(state, emit);
}

/** What is known of the states met so far. States are numbered in the order in which they were met. */
class Walk {
  private readonly keys = new StateKeys();
  private readonly numbers = new Map<string, number>();
  private readonly labels = new Map<string, number>();
  private readonly parents: number[] = [];
  private readonly labelOf: number[] = [];
  private readonly depths: number[] = [];
  private readonly waiting: (State | null)[] = [];
  private readonly good: number[] = [];
  /** Reliable steps, as pairs of states. */
  private readonly from: number[] = [];
  private readonly to: number[] = [];
  private readonly transitions = new Map<SlotTransition | LeaseTransition, number>();
  private steps = 0;

  private readonly protections: Protections;

  constructor(protections: Protections) {
    this.protections = protections;
  }

  get states(): number {
    return this.parents.length;
  }

  /** The state of that number, which is forgotten with this. */
  next(at: number): State {
    const state = this.waiting[at];
    if (state === null || state === undefined) throw new InternalError(`state ${at} was explored already`);
    this.waiting[at] = null;
    return state;
  }

  take(at: number, { after, label, transition, isReliable }: Step): void {
    this.steps += 1;
    if (transition !== null) this.transitions.set(transition, (this.transitions.get(transition) ?? 0) + 1);
    const number = this.meet(settled(after, this.protections), at, label);
    if (!isReliable || number === at) return;
    this.from.push(at);
    this.to.push(number);
  }

  meet(state: State, parent: number, label: () => string): number {
    const key = this.keys.keyOf(state);
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const number = this.parents.length;
    this.numbers.set(key, number);
    this.parents.push(parent);
    this.labelOf.push(this.numberOfLabel(label()));
    this.depths.push(parent < 0 ? 0 : (this.depths[parent] ?? 0) + 1);
    this.waiting.push(state);
    if (isAtWork(state)) this.good.push(number);
    return number;
  }

  pathTo(number: number): readonly string[] {
    const names = [...this.labels.keys()];
    const path: string[] = [];
    for (let at = number; at > 0; at = this.parents[at] ?? 0) path.unshift(names[this.labelOf[at] ?? 0] ?? '');
    return path;
  }

  /** The first state from which reliable steps lead to no state at work; null: there is none. */
  firstStuck(): number | null {
    const heads = new Int32Array(this.states).fill(-1);
    const links = new Int32Array(this.to.length);
    for (let edge = 0; edge < this.to.length; edge++) {
      const to = this.to[edge] ?? 0;
      links[edge] = heads[to] ?? -1;
      heads[to] = edge;
    }
    const reaches = new Uint8Array(this.states);
    const open = [...this.good];
    for (const state of open) reaches[state] = 1;
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      for (let edge = heads[state] ?? -1; edge >= 0; edge = links[edge] ?? -1) {
        const from = this.from[edge] ?? 0;
        if (reaches[from] === 1) continue;
        reaches[from] = 1;
        open.push(from);
      }
    }
    const stuck = reaches.indexOf(0);
    return stuck < 0 ? null : stuck;
  }

  result(violation: Violation | null, isComplete = true): Exploration {
    const { states, steps, transitions } = this;
    return {
      isComplete: isComplete && violation === null,
      states,
      steps,
      depth: this.depths.at(-1) ?? 0,
      transitions,
      violation,
    };
  }

  private numberOfLabel(label: string): number {
    const known = this.labels.get(label);
    if (known !== undefined) return known;
    this.labels.set(label, this.labels.size);
    return this.labels.size - 1;
  }
}
