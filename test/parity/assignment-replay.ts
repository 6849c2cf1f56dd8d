/**
 * Plays a recorded case on with any assignor: between its steps tasks run and copies catch up as in the recording, and what
 * happened there (somebody came, left, restarted, changed) happens here at the same step.
 */
import type { AssignmentInput, Placement, TaskAssignor } from '../../lib/assignment/task-assignor.js';
import { RUNNING_LAG } from '../../lib/assignment/task-assignor.js';
import type { TaskId } from '../../lib/model/task-id.js';
import { type AssignmentCase, type AssignmentStep, type CaseClient, inputOf } from './assignment-input.js';

/** A case as one goes through it: the steps that were recorded, or only the first. */
export type Recording = readonly Omit<AssignmentStep, 'expected' | 'measures'>[];

export interface PlayedStep {
  readonly input: AssignmentInput;
  readonly placement: Placement;
}

export interface Played {
  readonly steps: readonly PlayedStep[];
  /** First step, from the last event on, at which nothing is left to move. */
  readonly stableAt: number;
}

/** More steps than any recording needs. */
const MAX_STEPS = 100;
const EVERYTHING = Number.MAX_SAFE_INTEGER;

type Clients = Readonly<Record<string, CaseClient>>;

/** The steps of a case, and how much copies catch up between two of them. */
export function recordingOf(of: AssignmentCase): { readonly steps: Recording; readonly catchUpPerStep: number } {
  if (!('steps' in of)) return { steps: [of], catchUpPerStep: EVERYTHING };
  const { catchUpPerStep } = of as { readonly catchUpPerStep?: number };
  return { steps: of.steps, catchUpPerStep: catchUpPerStep ?? EVERYTHING };
}

/**
 * Plays a recording with an assignor until nothing is left to move.
 *
 * @throws if it comes to no rest
 */
export function play(
  recording: Recording,
  catchUpPerStep: number,
  { assign }: TaskAssignor,
  byOracle = assign,
): Played {
  const steps: PlayedStep[] = [];
  let [now] = recording;
  // What the recording's own assignor makes of it, to tell what happened from what it has caused itself.
  let recorded = now;
  let lastEvent = 0;
  for (let step = 0; now !== undefined && step < MAX_STEPS; step++) {
    const input = inputOf(now);
    const placement = assign(input);
    steps.push({ input, placement });
    const next = recording[step + 1];
    if (next === undefined && step >= lastEvent && !placement.followUp) {
      const stableAt = steps.findIndex((one, at) => at >= lastEvent && !one.placement.followUp);
      return { steps, stableAt };
    }
    const clients = afterwards(now, placement, catchUpPerStep);
    if (next === undefined || recorded === undefined) {
      now = { ...now, clients };
      continue;
    }
    const expected = afterwards(recorded, byOracle(inputOf(recorded)), catchUpPerStep);
    const happened = eventsBetween(expected, next.clients);
    if (happened.length > 0 || JSON.stringify(recorded.config) !== JSON.stringify(next.config)) lastEvent = step + 1;
    now = { ...next, clients: happened.reduce((of, event) => event(of), clients) };
    recorded = next;
  }
  throw new Error(`no rest after ${MAX_STEPS} steps`);
}

/** What clients report after a placement. */
function afterwards({ clients, tasks }: Recording[number], { members }: Placement, catchUpPerStep: number): Clients {
  const stateful = new Set(tasks.stateful);
  const entries = Object.entries(clients).map(([name, client]): [string, CaseClient] => {
    const { active = [], standby = [], warmup = [] } = members.get(name) ?? {};
    const lags: Record<string, number> = {};
    for (const [id, lag] of Object.entries(client.lags ?? {})) lags[id] = Math.max(0, lag);
    for (const id of [...standby, ...warmup])
      lags[id] = Math.max(
        0,
        (lags[id] ?? client.otherLags ?? 0) - (client.lags?.[id] === RUNNING_LAG ? 0 : catchUpPerStep),
      );
    for (const id of active) if (stateful.has(id)) lags[id] = RUNNING_LAG;
    const copies = (Object.keys(lags) as TaskId[]).filter((id) => !active.includes(id));
    return [
      name,
      { ...client, prevActive: [...active], prevStandby: copies, ...(client.lags === undefined ? {} : { lags }) },
    ];
  });
  return Object.fromEntries(entries);
}

type Event = (clients: Clients) => Clients;

/** What else happened between two steps of the recording. */
function eventsBetween(expected: Clients, next: Clients): readonly Event[] {
  const gone = Object.keys(expected).filter((name) => next[name] === undefined);
  const events: Event[] = gone.map((name) => (clients) => {
    const { [name]: _, ...others } = clients;
    return others;
  });
  for (const [name, client] of Object.entries(next)) {
    const before = expected[name];
    if (before === undefined) events.push((clients) => ({ ...clients, [name]: client }));
    else if (before.capacity !== client.capacity)
      events.push(changed(name, (own) => ({ ...own, capacity: client.capacity })));
    else if (client.prevActive.length < before.prevActive.length) events.push(changed(name, restarted(client)));
  }
  return events;
}

function changed(name: string, change: (client: CaseClient) => CaseClient): Event {
  return (clients) => {
    const client = clients[name];
    return client === undefined ? clients : { ...clients, [name]: change(client) };
  };
}

/** It comes back with all that it had, a little behind, and runs nothing. */
function restarted({ lags = {} }: CaseClient): (client: CaseClient) => CaseClient {
  const lag = Math.max(...Object.values(lags));
  return (client) => {
    const copies = Object.keys(client.lags ?? {}) as TaskId[];
    return { ...client, prevActive: [], prevStandby: copies, lags: Object.fromEntries(copies.map((id) => [id, lag])) };
  };
}
