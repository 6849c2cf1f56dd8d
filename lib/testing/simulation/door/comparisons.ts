/** How the results of one scenario are compared with the reference's, topic by topic and store by store, and why not more strictly. */
import { SimulationFailedError } from '../../../model/errors.js';
import { resolveSettings } from '../../../model/settings.js';
import type { StreamsApp } from '../../../topology/app.js';
import type { Reference } from '../reference.js';
import type { OutputComparison } from '../subject.js';
import type { SubjectMap } from '../subject-map.js';
import { strictestAgreement, undecidedStores } from './decided-by-input.js';
import type { RemoteCalls } from './remote-calls.js';
import type { ResolvedOptions } from './resolve-options.js';

/** Whether the content of a store is compared with the reference's. */
export type StoreComparison = 'content' | 'none';

export interface Decision<C> {
  readonly comparison: C;
  /** Null: as strictly as can be, or as was asked for. */
  readonly why: string | null;
  /** Whether it was left to `simulate`. */
  readonly isAuto: boolean;
}

export interface Comparisons {
  readonly topics: ReadonlyMap<string, Decision<OutputComparison>>;
  readonly stores: ReadonlyMap<string, Decision<StoreComparison>>;
  /** What the reference called outside. */
  readonly remoteCalls: RemoteCalls;
}

interface Compared {
  readonly app: StreamsApp;
  readonly options: ResolvedOptions;
  readonly map: SubjectMap;
  readonly natural: Reference;
  readonly contrary: Reference;
  readonly remoteCalls: RemoteCalls;
}

const AT_LEAST_ONCE = 'at least once, a store may have counted repeated input';

export function compareReferences({ app, options, map, natural, contrary, remoteCalls }: Compared): Comparisons {
  const topics = new Map<string, Decision<OutputComparison>>();
  for (const [topic, asked] of options.outputs)
    topics.set(
      topic,
      asked === 'auto'
        ? { ...strictestAgreement(topic, natural, contrary), isAuto: true }
        : { comparison: asked, why: null, isAuto: false },
    );
  const undecided = undecidedStores(map, natural, contrary);
  const { processingGuarantee } = resolveSettings({ ...app.settings, ...options.settings });
  const isExact = processingGuarantee === 'exactly_once_v2';
  const stores = new Map<string, Decision<StoreComparison>>();
  for (const { store } of map.tasks.flatMap(({ changelogs }) => changelogs.filter(({ internal }) => internal))) {
    const isAuto = options.stores.get(store) !== 'none';
    const why = isAuto ? (isExact ? (undecided.get(store) ?? null) : AT_LEAST_ONCE) : null;
    stores.set(store, { comparison: isAuto && why === null ? 'content' : 'none', why, isAuto });
  }
  return { topics, stores, remoteCalls };
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
