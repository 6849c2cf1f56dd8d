/** Checks what `simulate` is given, and fills in what is not: nothing runs before all of it is right. */
import { deadLetterTopics } from '../../../model/dead-letter-topics.js';
import { QueryRefusedError, UnknownTopicError } from '../../../model/errors.js';
import { greatest } from '../../../model/lists.js';
import { suggestion } from '../../../model/nearest.js';
import { resolveSettings, type SettingsInput } from '../../../model/settings.js';
import { type StreamsApp, topicName } from '../../../topology/app.js';
import { resolvePartitions } from '../../../topology/resolve-partitions.js';
import { matchTopics } from '../../../topology/topic-patterns.js';
import type { FaultKind } from '../faults/fault.js';
import { checkObject } from './check-names.js';
import { type Bounds, checkAmount, checkSeeds, checkWhole } from './check-numbers.js';
import type { InputTopic } from './encode-inputs.js';
import { invalid } from './invalid-option.js';
import { HARMLESS_KINDS, SIMULATION_FAULTS } from './simulation-faults.js';
import type { Amount, Seeds, SimulatedComparison, SimulatedInputs, SimulatedPart } from './simulation-options.js';

/** The options with their types forgotten. */
export interface GivenOptions {
  readonly inputs: Readonly<Record<string, Omit<InputTopic, 'partitions'> & { readonly partitions?: number }>>;
  readonly topics?: Readonly<Record<string, number>>;
  readonly faults?: readonly string[];
  readonly faultsPerRun?: Amount;
  readonly seeds?: Seeds;
  readonly members?: Amount;
  readonly outputs?: Readonly<Record<string, SimulatedComparison>>;
  readonly settings?: SettingsInput;
  readonly stores?: Readonly<Record<string, 'auto' | 'none'>>;
  readonly strict?: boolean;
  readonly part?: SimulatedPart;
  readonly outside?: unknown;
  readonly check?: unknown;
  readonly shrinkRuns?: number;
}

const OPTIONS: readonly (keyof GivenOptions)[] = [
  'inputs',
  'topics',
  'faults',
  'faultsPerRun',
  'seeds',
  'members',
  'outputs',
  'stores',
  'strict',
  'settings',
  'outside',
  'check',
  'part',
  'shrinkRuns',
];

export interface ResolvedOptions {
  readonly inputs: ReadonlyMap<string, InputTopic>;
  /** Of all topics that must exist, by name on the broker. */
  readonly topics: Readonly<Record<string, number>>;
  readonly kinds: readonly FaultKind[];
  readonly faultsPerRun: readonly [number, number];
  readonly seeds: readonly number[];
  readonly members: readonly [number, number];
  /** Of all topics that the application writes for others. */
  readonly outputs: ReadonlyMap<string, SimulatedComparison>;
  /** As asked for; others are `auto`. */
  readonly stores: ReadonlyMap<string, 'auto' | 'none'>;
  readonly isStrict: boolean;
  readonly settings: SettingsInput;
  /** Null: all of each scenario. */
  readonly part: SimulatedPart | null;
  readonly shrinkRuns: number;
}

const PARTITIONS: Bounds = { least: 1, most: 256 };
const MEMBERS: Bounds = { least: 1, most: 64 };
const FAULTS_PER_RUN: Bounds = { least: 0, most: 100 };
const SHRINK_RUNS: Bounds = { least: 0, most: 100_000 };
const DEFAULT_PARTITIONS = 3;
const DEFAULT_FAULTS: Amount = [3, 6];
const DEFAULT_MEMBERS: Amount = [1, 3];
const DEFAULT_SEEDS = 20;
const DEFAULT_SHRINK_RUNS = 100;
const COMPARISONS: readonly SimulatedComparison[] = ['auto', 'sequence', 'multiset', 'last', 'none'];

/**
 * What has to be right before anything of the user's is called.
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING if options are none, have a name that is not known, or no function where there must be one
 */
export function checkFunctions(given: GivenOptions): void {
  checkObject('options', given, OPTIONS);
  for (const name of ['outside', 'check'] as const)
    if (given[name] !== undefined && typeof given[name] !== 'function') throw invalid(name, given[name], 'a function');
}

/**
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING · {UnknownTopicError} STREAMS_UNKNOWN_TOPIC if the application does not
 *   read an input topic, or does not use one of the others · {NotCopartitionedError} STREAMS_NOT_COPARTITIONED
 */
export function resolveOptions(written: StreamsApp, given: GivenOptions): ResolvedOptions {
  for (const name of ['inputs', 'topics', 'outputs', 'stores', 'settings'] as const)
    if (name === 'inputs' || given[name] !== undefined) checkByName(name, given[name]);
  if (given.strict !== undefined && typeof given.strict !== 'boolean')
    throw invalid('strict', given.strict, 'true or false');
  const app = matchTopics(written, [...Object.keys(given.inputs), ...Object.keys(given.topics ?? {})]);
  const use = topicsOf(app);
  const settings = given.settings ?? {};
  resolveSettings({ ...app.settings, ...settings });
  const inputs = inputTopics(given, use);
  const topics = topicCounts(given, use, inputs);
  resolvePartitions(app, new Map(Object.entries(topics)));
  const seeds = checkSeeds(given.seeds === undefined ? DEFAULT_SEEDS : given.seeds);
  return {
    inputs,
    topics,
    kinds: faultKinds(given.faults),
    faultsPerRun: amount('faultsPerRun', given.faultsPerRun, DEFAULT_FAULTS, FAULTS_PER_RUN),
    seeds,
    members: amount('members', given.members, DEFAULT_MEMBERS, MEMBERS),
    outputs: comparisons(given, use),
    stores: storesAsked(given, app),
    isStrict: given.strict === true,
    settings,
    part: checkPart(given, seeds),
    shrinkRuns: whole('shrinkRuns', given.shrinkRuns, DEFAULT_SHRINK_RUNS, SHRINK_RUNS),
  };
}

function checkByName(name: string, given: unknown): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid(name, given, 'an object, by name');
}

/** An option that is left out has its default; null is no way to leave it out. */
function whole(name: string, given: unknown, otherwise: number, bounds: Bounds): number {
  return checkWhole(name, given === undefined ? otherwise : given, bounds);
}

function amount(name: string, given: Amount | undefined, otherwise: Amount, bounds: Bounds) {
  return checkAmount(name, given === undefined ? otherwise : given, bounds);
}

/** Which topics an application reads and writes for others, by name on the broker. */
interface TopicUse {
  readonly read: ReadonlySet<string>;
  readonly written: ReadonlySet<string>;
  /** Whether it also writes to topics whose names only its records tell. */
  readonly writesOthers: boolean;
}

function topicsOf(app: StreamsApp): TopicUse {
  const { topology } = app;
  const external = (names: readonly string[]) =>
    names.filter((name) => !topology.repartitionTopics.has(name)).map((name) => topicName(app, name));
  const deadLetters = deadLetterTopics(app.settings).keys();
  return {
    read: new Set([
      ...external(topology.subTopologies.flatMap(({ sourceTopics }) => sourceTopics)),
      ...[...topology.globalStores.values()].map(({ topic }) => topic),
    ]),
    written: new Set([...external(topology.subTopologies.flatMap(({ sinkTopics }) => sinkTopics)), ...deadLetters]),
    writesOthers: [...topology.nodes.values()].some((node) => node.kind === 'sink' && typeof node.topic !== 'string'),
  };
}

function inputTopics({ inputs }: GivenOptions, { read }: TopicUse): ReadonlyMap<string, InputTopic> {
  const topics = new Map<string, InputTopic>();
  for (const [topic, input] of Object.entries(inputs)) {
    if (!read.has(topic)) throw unknown(`inputs: the application does not read topic '${topic}'`, topic, read);
    checkObject(`inputs.${topic}`, input, ['key', 'value', 'partitions', 'records']);
    for (const side of ['key', 'value'] as const)
      if (typeof input[side]?.serialize !== 'function')
        throw invalid(`inputs.${topic}.${side}`, input[side], 'a serde');
    const partitions = whole(`inputs.${topic}.partitions`, input.partitions, DEFAULT_PARTITIONS, PARTITIONS);
    topics.set(topic, { ...input, partitions, records: checkRecords(topic, input.records) });
  }
  if (topics.size === 0) throw invalid('inputs', inputs, `records for one of ${[...read].join(', ')} at least`);
  return topics;
}

function checkRecords(topic: string, records: unknown): SimulatedInputs<unknown, unknown> {
  if (Array.isArray(records) || typeof records === 'function') return records as SimulatedInputs<unknown, unknown>;
  throw invalid(`inputs.${topic}.records`, records, 'a list of records, or a function of chance that answers one');
}

function topicCounts(
  { topics = {} }: GivenOptions,
  { read, written, writesOthers }: TopicUse,
  inputs: ReadonlyMap<string, InputTopic>,
): Readonly<Record<string, number>> {
  const all = new Set([...read, ...written]);
  const most = greatest(
    1,
    [...inputs.values()].map(({ partitions }) => partitions),
  );
  const counts = Object.fromEntries([...all].map((topic) => [topic, inputs.get(topic)?.partitions ?? most]));
  for (const [topic, partitions] of Object.entries(topics)) {
    if (!all.has(topic) && !writesOthers)
      throw unknown(`topics: the application neither reads nor writes topic '${topic}'`, topic, all);
    if (inputs.has(topic))
      throw invalid(`topics.${topic}`, partitions, 'nothing: its partitions stand with its inputs');
    counts[topic] = checkWhole(`topics.${topic}`, partitions, PARTITIONS);
  }
  return counts;
}

function faultKinds(names: unknown = SIMULATION_FAULTS): readonly FaultKind[] {
  if (!Array.isArray(names)) throw invalid('faults', names, 'a list of kinds of faults');
  return names.map((name: unknown) => {
    if (typeof name !== 'string') throw invalid('faults', name, `one of ${SIMULATION_FAULTS.join(', ')}`);
    const kind = HARMLESS_KINDS.find((one) => one.kind === name);
    if (kind === undefined)
      throw invalid('faults', name, `one of ${SIMULATION_FAULTS.join(', ')}${suggestion(name, SIMULATION_FAULTS)}`);
    return kind;
  });
}

function comparisons(
  { outputs = {}, topics = {} }: GivenOptions,
  { written, writesOthers }: TopicUse,
): ReadonlyMap<string, SimulatedComparison> {
  const all = new Set([...written, ...(writesOthers ? Object.keys(topics) : [])]);
  for (const [topic, comparison] of Object.entries(outputs)) {
    if (!all.has(topic)) throw unknown(`outputs: the application does not write topic '${topic}'`, topic, all);
    if (!COMPARISONS.includes(comparison))
      throw invalid(`outputs.${topic}`, comparison, `one of ${COMPARISONS.join(', ')}`);
  }
  return new Map([...all].map((topic) => [topic, outputs[topic] ?? 'auto']));
}

/** @throws {QueryRefusedError} STREAMS_QUERY_REFUSED if there is no such store */
function storesAsked({ stores = {} }: GivenOptions, { topology }: StreamsApp): ReadonlyMap<string, 'auto' | 'none'> {
  const known = [...topology.changelogs.keys()];
  for (const [store, comparison] of Object.entries(stores)) {
    if (!known.includes(store))
      throw new QueryRefusedError(
        `simulate: stores: the application keeps no store '${store}' in the log; it has ${known.join(', ') || 'none'}`,
        { details: { store, known }, remedy: 'Correct the name of the store.' },
      );
    if (comparison !== 'auto' && comparison !== 'none') throw invalid(`stores.${store}`, comparison, 'auto or none');
  }
  return new Map(Object.entries(stores));
}

function checkPart({ part }: GivenOptions, seeds: readonly number[]): SimulatedPart | null {
  if (part === undefined) return null;
  checkObject('part', part, ['faults', 'inputs', 'members']);
  if (seeds.length !== 1) throw invalid('part', part, 'one seed: it is a part of one scenario');
  if (part.members !== undefined) checkWhole('part.members', part.members, MEMBERS);
  return part;
}

function unknown(message: string, topic: string, known: ReadonlySet<string>): UnknownTopicError {
  return new UnknownTopicError(
    `simulate: ${message}; it has ${[...known].join(', ') || 'none'}${suggestion(topic, known)}`,
    {
      details: { topic },
      remedy: 'Correct the name of the topic, or let the topology use it.',
    },
  );
}
