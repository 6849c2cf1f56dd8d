/** Ways to play a case with cuts: tasks die and come back, and what comes of the case stays what it was in one go (trap 27). */
import type { TopologyTestDriver } from '../../lib/testing/topology-test-driver.js';
import { canonical } from './compare.js';
import type { CaseRecord, ProcessingCase } from './parity-case.js';
import type { CaseOutcome, CasePlay } from './play-case.js';

/** Inputs between two snapshots: some restarts find the newest at the end, others a tail after it. */
const INPUTS_PER_SNAPSHOT = 3;

type Cut = (driver: TopologyTestDriver, index: number) => Promise<void> | void;

/** What happens before an input, by name. */
const CUTS: Readonly<Record<string, Cut>> = {
  'handed over': (driver) => driver.restart(),
  crashed: (driver) => driver.crash(),
  'crashed, restored from a cleaned changelog alone': async (driver) => {
    await driver.compactChangelogs();
    await driver.crash({ from: 'changelog' });
  },
  'crashed, restored from snapshot and tail': async (driver, index) => {
    await driver.crash();
    if (index % INPUTS_PER_SNAPSHOT === 0) await driver.writeSnapshots();
  },
  'crashed within the next record, before it is committed': (driver) => driver.crashBeforeCommit(),
};

/** Cuts after which wall-clock punctuations begin again, so that they come at other times. */
const FORGETS_WALL_CLOCK: ReadonlySet<string> = new Set(Object.keys(CUTS).filter((name) => name !== 'handed over'));
const CACHE_BYTES = 1_000_000;

/** Whether a case's answer depends on when wall-clock punctuations were scheduled. */
function hasWallClock({ inputs, topology }: ProcessingCase): boolean {
  return inputs.some((input) => 'advanceWallClockMs' in input) || JSON.stringify(topology).includes('"wall"');
}

/**
 * Whether each task of a case reads one partition and nothing else: of several inputs, records are taken by their timestamps if they
 * are there together, and a global store may be ahead of a record that is processed again.
 */
function hasOneInputEach({ app }: CaseOutcome): boolean {
  if (app === undefined || app.topology.globalStores.size > 0) return false;
  return app.topology.subTopologies.every(({ sourceTopics }) => sourceTopics.length === 1);
}

/** Why a case can not be cut: what it keeps is not meant to outlive its process. Undefined: it can. */
export function whyNotCut({ topology, errorAt }: ProcessingCase): string | undefined {
  const text = JSON.stringify(topology);
  if (errorAt === 'build' || errorAt === 'start') return 'it does not start';
  if (text.includes('"loggingDisabled":true')) return 'its store has no changelog';
  if (text.includes('"cancelAfter"')) return 'its processor counts its punctuations in a field of its own';
  return undefined;
}

/** The ways to cut a case at these inputs, by name. */
export function cutsOf(of: ProcessingCase, at: ReadonlySet<number>): readonly (readonly [string, CasePlay])[] {
  const names = Object.keys(CUTS).filter((name) => !hasWallClock(of) || !FORGETS_WALL_CLOCK.has(name));
  return names.map((name) => [
    name,
    { before: (driver, index) => (at.has(index) ? CUTS[name]?.(driver, index) : undefined) },
  ]);
}

/**
 * Ways to play a case that have an answer of their own in one go, each with its cuts: caches hold updates back until the commit; commits
 * take several records, and a crash comes between them.
 */
export function otherPlays(
  of: ProcessingCase,
  whole: CaseOutcome,
  at: ReadonlySet<number>,
): readonly (readonly [string, CasePlay, CasePlay])[] {
  if (hasWallClock(of)) return [];
  const cut: CasePlay = { before: (driver, index) => (at.has(index) ? driver.crash() : undefined) };
  const cached: CasePlay = { cacheMaxBytes: CACHE_BYTES };
  const several: CasePlay = { options: { recordsPerCommit: 3 } };
  const plays: Record<string, CasePlay> = { 'with caches': cached };
  if (hasOneInputEach(whole)) {
    plays['three records a commit'] = several;
    plays['three records a commit, with caches'] = { ...cached, ...several };
  }
  return Object.entries(plays).map(([name, play]) => [name, play, { ...play, ...cut }]);
}

/** One cut alone, before the input of that index. */
export function cutOnce(of: ProcessingCase, at: number): readonly CasePlay[] {
  const cut: Cut = (driver) => (hasWallClock(of) ? driver.restart() : driver.crash());
  return [{ before: (driver, index) => (index === at ? cut(driver, index) : undefined) }];
}

/** All that a case came to, to be compared; errors by their text. */
export function asText(outcome: CaseOutcome): Readonly<Record<string, readonly string[]>> {
  const { failedAt, failure, written, images, stores, answers, dropped } = outcome;
  const error = failedAt === undefined ? [] : [`${failedAt}: ${failure instanceof Error ? failure.message : failure}`];
  const lists = (what: string, of: ReadonlyMap<string, readonly unknown[]>) =>
    [...of].map(([name, list]) => [`${what} ${name}`, list.map(canonical)] as const);
  return Object.fromEntries([
    ['error', error],
    ['answers', answers.map(canonical)],
    ['dropped', isCountedOnce(outcome) ? [...dropped].map(([reason, count]) => `${reason}: ${count}`).sort() : []],
    ...lists('topic', new Map([...written].filter(([, records]) => records.length > 0).map(withoutCounts))),
    ...lists('image', images),
    ...lists('store', stores),
  ]);
}

/** Each start reads the topics of global stores again, and counts again what it leaves out of them (G3 of global-task.ts). */
function isCountedOnce({ app }: CaseOutcome): boolean {
  return (app?.topology.globalStores.size ?? 0) === 0;
}

/** A processor of the cases numbers its punctuations in a field of its own: which one it is does not count, that it came does. */
function withoutCounts([topic, records]: readonly [string, readonly CaseRecord[]]): [string, readonly CaseRecord[]] {
  const isPunctuation = ({ key, value }: CaseRecord) => key === 'punct' && /^p\d+@/.test(String(value));
  return [topic, records.map((each) => (isPunctuation(each) ? { ...each, value: 'p@' } : each))];
}
