/** How the results of one scenario are compared with the reference's, topic by topic and store by store, and why not more strictly. */
import { SimulationFailedError } from '../../../model/errors.js';
import { type ComparedParts, VALUES_ALONE } from '../seen-value.js';
import type { OutputComparison } from '../subject.js';
import { decidedParts, storeAgreements, strictestAgreement } from './decided-by-input.js';
import type { References } from './references.js';
import type { RemoteCalls } from './remote-calls.js';
import type { ResolvedOptions } from './resolve-options.js';
import type { SimulatedComparison } from './simulation-options.js';

/** Whether the content of a store is compared with the reference's. */
export type StoreComparison = 'content' | 'none';

export interface Decision<C> {
  readonly comparison: C;
  /** Null: as strictly as can be, or as was asked for. */
  readonly why: string | null;
  /** Whether it was left to `simulate`. */
  readonly isAuto: boolean;
}

export interface TopicDecision extends Decision<OutputComparison> {
  /** What is compared besides values. */
  readonly parts: ComparedParts;
}

export interface StoreDecision extends Decision<StoreComparison> {
  /** Whether of what waits in the store its origin is compared. */
  readonly hasOrigins: boolean;
}

export interface Comparisons {
  readonly topics: ReadonlyMap<string, TopicDecision>;
  readonly stores: ReadonlyMap<string, StoreDecision>;
  /** What the reference called outside. */
  readonly remoteCalls: RemoteCalls;
}

const AT_LEAST_ONCE = 'at least once, a store may have counted repeated input';

export async function compareReferences(
  options: ResolvedOptions,
  references: References,
  remoteCalls: RemoteCalls,
): Promise<Comparisons> {
  const topics = new Map<string, TopicDecision>();
  for (const [topic, asked] of options.outputs) topics.set(topic, await topicDecision(topic, asked, references));
  const isExact = references.map.app.settings.processingGuarantee === 'exactly_once_v2';
  const stores = new Map<string, StoreDecision>();
  for (const [store, agreement] of await storeAgreements(references)) {
    const isAuto = options.stores.get(store) !== 'none';
    const why = isAuto ? (isExact ? agreement.why : AT_LEAST_ONCE) : null;
    const comparison = isAuto && isExact && agreement.isDecided ? 'content' : 'none';
    stores.set(store, { comparison, why, isAuto, hasOrigins: agreement.hasOrigins });
  }
  return { topics, stores, remoteCalls };
}

async function topicDecision(
  topic: string,
  asked: SimulatedComparison,
  references: References,
): Promise<TopicDecision> {
  if (asked === 'auto') return { ...(await strictestAgreement(topic, references)), isAuto: true };
  const parts = asked === 'none' ? VALUES_ALONE : await decidedParts(topic, asked, references);
  return { comparison: asked, parts, why: null, isAuto: false };
}

/** Comparisons from the strictest on. */
const BY_STRICTNESS: readonly (OutputComparison | StoreComparison)[] = [
  'content',
  'sequence',
  'multiset',
  'last',
  'none',
];

/** What stands by both. */
export function weakerOf(one: Comparisons, other: Comparisons): Comparisons {
  const topics = new Map([...one.topics].map(([name, a]) => [name, weakerTopic(a, other.topics.get(name) ?? a)]));
  const stores = new Map([...one.stores].map(([name, a]) => [name, weakerStore(a, other.stores.get(name) ?? a)]));
  return { topics, stores, remoteCalls: one.remoteCalls };
}

/** Whether they compare the same in the same way. */
export function areSame(one: Comparisons, other: Comparisons): boolean {
  const facts = ({ topics, stores }: Comparisons) =>
    JSON.stringify([
      [...topics].map(([name, { comparison, parts }]) => [name, comparison, parts.timestamps, parts.headers]),
      [...stores].map(([name, { comparison, hasOrigins }]) => [name, comparison, hasOrigins]),
    ]);
  return facts(one) === facts(other);
}

function weakerTopic(a: TopicDecision, b: TopicDecision): TopicDecision {
  const parts = {
    timestamps: a.parts.timestamps && b.parts.timestamps,
    headers: a.parts.headers && b.parts.headers,
  };
  return { ...(isWeaker(b, a) ? b : a), parts };
}

function weakerStore(a: StoreDecision, b: StoreDecision): StoreDecision {
  return { ...(isWeaker(b, a) ? b : a), hasOrigins: a.hasOrigins && b.hasOrigins };
}

function isWeaker(a: Decision<OutputComparison | StoreComparison>, b: typeof a): boolean {
  return BY_STRICTNESS.indexOf(a.comparison) > BY_STRICTNESS.indexOf(b.comparison);
}

/** @throws {SimulationFailedError} STREAMS_SIMULATION_FAILED if something is not compared though nobody asked for that */
export function refuseUncompared({ topics, stores }: Comparisons, seed: number): void {
  const left = [
    ...[...topics].map(([name, decision]) => ({ name, option: 'outputs', what: `topic '${name}'`, decision })),
    ...[...stores].map(([name, decision]) => ({ name, option: 'stores', what: `store '${name}'`, decision })),
  ].filter(({ decision }) => decision.isAuto && decision.comparison === 'none');
  if (left.length === 0) return;
  const said = left.map(({ what, decision }) => `${what} is not compared: ${decision.why}`);
  const asked = left.map(({ name, option }) => `${option}: { '${name}': 'none' }`);
  throw new SimulationFailedError(`simulate: with seed ${seed}, ${said.join('; ')}`, {
    details: { seed, checker: 'strict', left: left.map(({ name }) => name) },
    remedy: `Give input that decides it (one partition, or timestamps of its own), let \`check\` say what must hold, or say that it is known: ${asked.join(', ')}.`,
  });
}
