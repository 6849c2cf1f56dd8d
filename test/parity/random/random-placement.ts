/** Random steps of the family `assignment`: clusters in which somebody has come, gone, fallen behind or never been settled. */
import { highAvailability } from '../../../lib/assignment/high-availability/high-availability.js';
import { type TaskId, taskId } from '../../../lib/model/task-id.js';
import { type Chance, createChance } from '../../../lib/testing/simulation/chance.js';
import { type AssignmentStep, type CaseClient, inputOf } from '../assignment-input.js';

/** A step without an answer. */
export type UnansweredStep = Omit<AssignmentStep, 'expected'>;

const RUNNING = -2;
const ZONES = ['z0', 'z1', 'z2'];
const WHOLE_CHANGELOG = 100_000;
/** Changelogs that are short enough to be caught up from nothing. */
const SHORT_CHANGELOG = 50;

/** The same step for the same seed. */
export function randomStep(seed: number): UnansweredStep {
  const chance = createChance(seed, 'placement');
  const tasks = randomTasks(chance);
  const isLarge = chance.happens(0.1);
  const count = isLarge ? chance.between(10, 26) : chance.between(1, 8);
  const names = Array.from({ length: count }, (_, index) => String.fromCharCode(65 + index));
  const config = randomConfig(chance);
  const empty: UnansweredStep = {
    config,
    // The order of Java's hash tables of process ids shows where there are many, and is chance: ids are.
    assignor: !isLarge && chance.happens(0.1) ? 'FallbackPrior' : 'HighAvailability',
    tasks,
    clients: Object.fromEntries(names.map((name) => [name, emptyClient(chance, config)])),
    ...randomRacks(chance, config, tasks),
  };
  const settled = chance.happens(0.6) ? afterChange(chance, settledStep(chance, empty)) : scattered(chance, empty);
  return settled.assignor === 'FallbackPrior' ? withoutLags(settled) : settled;
}

function randomTasks(chance: Chance): AssignmentStep['tasks'] {
  const stateful: TaskId[] = [];
  const stateless: TaskId[] = [];
  const most = chance.happens(0.1) ? 40 : 9;
  for (let subTopology = chance.below(2); subTopology < chance.between(1, 4); subTopology++) {
    const kind = chance.happens(0.75) ? stateful : stateless;
    for (let partition = 0; partition < chance.between(1, most); partition++) kind.push(taskId(subTopology, partition));
  }
  if (stateful.length + stateless.length === 0) stateful.push(taskId(0, 0));
  return { stateful, stateless };
}

function randomConfig(chance: Chance): AssignmentStep['config'] {
  return {
    'num.standby.replicas': chance.pick([0, 1, 1, 2, 3]),
    'max.warmup.replicas': chance.between(1, 4),
    'acceptable.recovery.lag': chance.pick([0, 100, 10_000, Number.MAX_SAFE_INTEGER]),
    ...(chance.happens(0.4) ? { 'rack.aware.assignment.tags': chance.pick([['zone'], ['cluster', 'zone']]) } : {}),
    ...(chance.happens(0.3)
      ? {
          'rack.aware.assignment.strategy': chance.pick(['min_traffic', 'balance_subtopology']),
          ...(chance.happens(0.3) ? { 'rack.aware.assignment.traffic_cost': chance.pick([0, 1, 5]) } : {}),
          ...(chance.happens(0.3) ? { 'rack.aware.assignment.non_overlap_cost': chance.pick([0, 3, 10]) } : {}),
        }
      : {}),
  };
}

function emptyClient(chance: Chance, config: AssignmentStep['config']): CaseClient {
  const names = config['rack.aware.assignment.tags'] ?? [];
  const tags = names.filter(() => chance.happens(0.9)).map((name) => [name, chance.pick(ZONES)] as const);
  return {
    capacity: chance.happens(0.7) ? 1 : chance.between(1, 4),
    ...(names.length > 0 ? { tags: Object.fromEntries(tags) } : {}),
    ...(config['rack.aware.assignment.strategy'] !== undefined && chance.happens(0.98)
      ? { rack: chance.pick(ZONES) }
      : {}),
    prevActive: [],
    prevStandby: [],
    lags: {},
    otherLags: WHOLE_CHANGELOG,
  };
}

function randomRacks(
  chance: Chance,
  config: AssignmentStep['config'],
  { stateful, stateless }: AssignmentStep['tasks'],
) {
  if (config['rack.aware.assignment.strategy'] === undefined) return {};
  const partitions = [
    ...[...stateful, ...stateless].map((id) => `in${id.replace('_', '-')}`),
    ...stateful.map((id) => `app-store${id.replace('_', '-changelog-')}`),
  ];
  const racks = (): readonly string[] => {
    if (chance.happens(0.001)) return []; // not known
    return chance.happens(0.8) ? [chance.pick(ZONES)] : ['z0', chance.pick(['z1', 'z2'])];
  };
  return { partitionRacks: Object.fromEntries(partitions.map((at) => [at, racks()])) };
}

/** Any copies of any lag on any client; of a task at most one runs. */
function scattered(chance: Chance, step: UnansweredStep): UnansweredStep {
  const names = Object.keys(step.clients);
  const lags = new Map(names.map((name) => [name, {} as Record<string, number>]));
  const running = new Map<TaskId, string>();
  for (const task of [...step.tasks.stateful, ...step.tasks.stateless]) {
    if (chance.happens(0.7)) running.set(task, chance.pick(names));
    for (const name of names) {
      const of = lags.get(name);
      if (of === undefined || step.tasks.stateless.includes(task)) continue;
      if (running.get(task) === name) of[task] = chance.happens(0.9) ? RUNNING : randomLag(chance);
      else if (chance.happens(0.4)) of[task] = randomLag(chance);
    }
  }
  return withLags(step, lags, running);
}

function randomLag(chance: Chance): number {
  return chance.pick([0, 0, 50, 100, 101, 500, 10_000, 10_001, 60_000, WHOLE_CHANGELOG]);
}

/** All that is placed, running and caught up, as after some time without change. */
function settledStep(chance: Chance, step: UnansweredStep): UnansweredStep {
  const { members } = highAvailability.assign(inputOf({ ...step, assignor: 'HighAvailability' }));
  const lags = new Map<string, Record<string, number>>();
  const running = new Map<TaskId, string>();
  for (const [name, { active, standby, warmup }] of members) {
    const of: Record<string, number> = {};
    for (const id of [...standby, ...warmup]) of[id] = chance.happens(0.9) ? 0 : randomLag(chance);
    for (const id of active) {
      if (step.tasks.stateful.includes(id)) of[id] = RUNNING;
      running.set(id, name);
    }
    lags.set(name, of);
  }
  return withLags(step, lags, running);
}

function withLags(
  step: UnansweredStep,
  lags: ReadonlyMap<string, Readonly<Record<string, number>>>,
  running: ReadonlyMap<TaskId, string>,
): UnansweredStep {
  const clients = Object.entries(step.clients).map(([name, client]): [string, CaseClient] => {
    const prevActive = [...running].filter(([, owner]) => owner === name).map(([task]) => task);
    const copies = Object.keys(lags.get(name) ?? {}) as TaskId[];
    const prevStandby = copies.filter((task) => !prevActive.includes(task));
    return [name, { ...client, prevActive, prevStandby, lags: lags.get(name) ?? {} }];
  });
  return { ...step, clients: Object.fromEntries(clients) };
}

/** Clients that came, went, or have another size; changelogs that are short. */
function afterChange(chance: Chance, step: UnansweredStep): UnansweredStep {
  const clients = Object.entries(step.clients);
  const left = clients.length > 1 && chance.happens(0.4) ? chance.below(clients.length) : -1;
  const kept = clients.filter((_, index) => index !== left);
  const joined = Array.from({ length: chance.between(0, 2) }, (_, index): [string, CaseClient] => [
    String.fromCharCode(65 + clients.length + index),
    emptyClient(chance, step.config),
  ]);
  const isShort = chance.happens(0.15);
  const changed = [...kept, ...joined].map(([name, client]): [string, CaseClient] => [
    name,
    {
      ...client,
      capacity: chance.happens(0.1) ? chance.between(1, 6) : client.capacity,
      otherLags: isShort ? SHORT_CHANGELOG : WHOLE_CHANGELOG,
    },
  ]);
  return { ...step, clients: Object.fromEntries(changed) };
}

function withoutLags(step: UnansweredStep): UnansweredStep {
  const clients = Object.entries(step.clients).map(([name, { lags: _, otherLags: __, ...client }]) => [name, client]);
  return { ...step, clients: Object.fromEntries(clients) };
}
