/**
 * What the outputs and stores of a subject are when nothing can go wrong: its tasks run one after the other over all of the
 * input, in one process, without log, leases, snapshots, transactions, time or any code that moves work about.
 *
 * It shares the operators and stores with what it is compared with, and nothing of the engine: no member, session, commit,
 * restore or assignment. A run of the whole cloud without faults would cost as much as the run that it judges, and share all
 * the engine's faults with it. What the operators do is judged by the oracle of a subject and by the parity tests.
 *
 * Sub-topologies run in rounds until nothing is left: each task is given all of a round's input at once, so that it chooses
 * among its inputs by timestamp, and a round is one commit. Wall-clock timers never fire.
 *
 * In the order `contrary` nothing is as in the other but the order within each partition of an input topic: tasks run the other
 * way round, the last partition of all input comes whole before the one before it, and wall-clock timers fire in between, an
 * hour apart. A drawn order is one of all that a run may take: record by record as they arrive, or partitions, tasks and commits
 * each at a pace of their own, with stretches in which they stand still, and wall-clock timers with the arrivals. What all orders agree on is decided by the input; what they
 * do not is decided by timing.
 */

import { type TopicPartitionKey, topicPartitionKey } from '../../model/topic-partition.js';
import type { StreamsApp } from '../../topology/app.js';
import type { Chance } from './chance.js';
import { type Reference, ReferenceRun, type ReferenceTask } from './reference-run.js';
import type { ScenarioInput } from './scenario.js';
import type { SubjectMap } from './subject-map.js';

export type { Reference } from './reference-run.js';

/**
 * `every`: caches are off, and every update is there · `last`: caches hold everything, and of a round only the last is ·
 * `asSet`: caches are as the application's settings say.
 */
export type ReferenceUpdates = 'every' | 'last' | 'asSet';
export type ReferenceOrder = 'natural' | 'contrary' | DrawnOrder;

export interface DrawnOrder {
  readonly chance: Chance;
  /** Whether each record is processed and committed as it arrives. */
  readonly isPrompt: boolean;
}

/** Between two partitions in the contrary order. */
const APART_MS = 3_600_000;
/** Shares of the steps at which a partition's records are seen, a task goes on, a task commits: each draws one of them. */
const PARTITION_PACES = [1, 1, 1, 0.3, 0.03];
const TASK_PACES = [1, 1, 0.3, 0.05];
const COMMIT_PACES = [1, 0.3, 0.05];
/** Share of the drawn orders in which all go on at once, but where they stand still. */
const BRISK = 0.5;
/** How often a partition or a task stands still for a while, and for how long, in milliseconds. */
const STALLS = [0, 0, 1, 2];
const STALLS_MS = [500, 3_000, 15_000];

export interface ReferenceOptions {
  readonly updates: ReferenceUpdates;
  /** Wall clock at the start, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Default: `natural`. */
  readonly order?: ReferenceOrder;
  /** Offset that an input has in the log. Absent, or undefined: the next one. */
  readonly offsetOf?: (input: ScenarioInput) => number | undefined;
  /** Makes an application for each task, as each may run in a process of its own. Absent: all share that of the map. */
  readonly createApp?: () => StreamsApp;
}

/** @throws whatever the subject's own code throws on this input */
export async function referenceOf(
  map: SubjectMap,
  inputs: readonly ScenarioInput[],
  { updates, nowMs, order = 'natural', offsetOf = () => undefined, createApp = () => map.app }: ReferenceOptions,
): Promise<Reference> {
  const run = new ReferenceRun(map, {
    statestoreCacheMaxBytes: cacheBytes(map, updates),
    startMs: nowMs,
    isReversed: order === 'contrary',
    // Where it is not told, nobody may count on the offsets of what the application itself has written.
    gap: order === 'natural' ? 0 : 1,
    offsetOf,
    createApp,
  });
  await run.init();
  if (order === 'natural') await run.feed(inputs);
  else if (order === 'contrary') await feedContrary(run, inputs);
  else await feedAsDrawn(run, inputs, order);
  await run.processAll();
  return run.close();
}

function cacheBytes({ app }: SubjectMap, updates: ReferenceUpdates): number {
  if (updates === 'asSet') return app.settings.statestoreCacheMaxBytes;
  return updates === 'last' ? Number.MAX_SAFE_INTEGER : 0;
}

async function feedContrary(run: ReferenceRun, inputs: readonly ScenarioInput[]): Promise<void> {
  const partitions = byPartition(inputs);
  const order = [...partitions.values()].sort((a, b) => (b[0]?.partition ?? 0) - (a[0]?.partition ?? 0));
  for (const part of order) {
    await run.feed(part);
    await run.processAll();
    run.nowMs += APART_MS;
    for (const each of run.tasks) {
      await each.task.punctuate(run.nowMs);
      await run.commit(each);
    }
    await run.processAll();
  }
}

async function feedAsDrawn(
  run: ReferenceRun,
  inputs: readonly ScenarioInput[],
  { chance, isPrompt }: DrawnOrder,
): Promise<void> {
  const startMs = run.nowMs;
  const { atMs: lastMs = 0 } = inputs.at(-1) ?? {};
  // Where all else keeps up, a task that stands still once meets what the others have long done.
  const isBrisk = isPrompt || chance.happens(BRISK);
  const draw = (paces: readonly number[]) => (isPrompt ? ALWAYS : drawnBeat(chance, isBrisk ? [1] : paces, lastMs));
  const queues = [...byPartition(inputs).keys()].map((key) => ({
    ...{ key, beat: draw(PARTITION_PACES), arrived: [] as ScenarioInput[] },
  }));
  const beats = new Map<ReferenceTask, Beat>(run.tasks.map((task) => [task, draw(TASK_PACES)]));
  const commitPace = isBrisk ? 1 : chance.pick(COMMIT_PACES);
  const step = async (atMs: number) => {
    for (const each of run.tasks) {
      if (!(beats.get(each) ?? ALWAYS)(atMs)) continue;
      await each.task.punctuate(run.nowMs);
      await run.process(each);
      if (each.task.hasUncommitted && chance.happens(commitPace)) await run.commit(each);
    }
  };
  for (const input of inputs) {
    run.nowMs = startMs + input.atMs;
    queues.find(({ key }) => key === topicPartitionKey(input))?.arrived.push(input);
    for (const { beat, arrived } of queues) if (beat(input.atMs)) await run.feed(arrived.splice(0));
    await step(input.atMs);
  }
  // What is late now comes in any order.
  for (let late = lateOf(queues); late.length > 0; late = lateOf(queues)) {
    await run.feed(chance.pick(late).arrived.splice(0, 1));
    await step(Number.POSITIVE_INFINITY);
  }
}

/** Whether it goes on at a moment, in milliseconds since the start. */
type Beat = (atMs: number) => boolean;

const ALWAYS: Beat = () => true;

/** A pace, and stretches of time in which nothing goes on, as where nobody owns a task, or somebody's transaction hangs. */
function drawnBeat(chance: Chance, paces: readonly number[], lastMs: number): Beat {
  const pace = chance.pick(paces);
  const stalls = Array.from({ length: chance.pick(STALLS) }, () => {
    const fromMs = chance.below(lastMs + 1);
    return { fromMs, toMs: fromMs + chance.pick(STALLS_MS) };
  });
  return (atMs) => !stalls.some(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs) && chance.happens(pace);
}

function lateOf<Q extends { readonly arrived: readonly ScenarioInput[] }>(queues: readonly Q[]): readonly Q[] {
  return queues.filter(({ arrived }) => arrived.length > 0);
}

function byPartition(inputs: readonly ScenarioInput[]): Map<TopicPartitionKey, ScenarioInput[]> {
  const partitions = new Map<TopicPartitionKey, ScenarioInput[]>();
  for (const input of inputs) {
    const key = topicPartitionKey(input);
    partitions.set(key, [...(partitions.get(key) ?? []), input]);
  }
  return partitions;
}
