/** A failed run in words: what is wrong, the smallest scenario in which it is, and how to see it again. */
import type { Fault } from '../faults/fault.js';
import { faultKind } from '../faults/fault-kinds.js';
import { formatIndexRanges } from '../index-ranges.js';
import type { FaultEffect } from '../run-scenario.js';
import type { Scenario, ScenarioInput } from '../scenario.js';
import type { ScenarioPart } from '../scenario-part.js';
import { type TimelineEntry, timelineLines } from '../timeline.js';
import type { InputTopic } from './encode-inputs.js';

export interface Failure {
  readonly applicationId: string;
  readonly inputs: ReadonlyMap<string, InputTopic>;
  readonly checker: string;
  readonly what: string;
  /** As small as it was made. */
  readonly scenario: Scenario;
  /** What that is of the seed's whole scenario. */
  readonly part: ScenarioPart;
  /** Of that scenario. */
  readonly timeline: readonly TimelineEntry[];
  readonly faultEffects: readonly FaultEffect[];
  readonly shrinkRuns: number;
  /** What to look for where it fails without any fault; null: it takes faults. */
  readonly withoutFaults: string | null;
}

const WHAT_MOST = 2_000;
const INPUTS_MOST = 12;
const VALUE_MOST = 120;
const LINE_MOST = 400;
/** Lines of the timeline before the last fault took effect, and after. */
const LINES_BEFORE = 12;
const LINES_AFTER = 24;
/** Entries of the task function that say nothing of records: left out of the excerpt, not of the whole timeline. */
const BESIDE = /^(invocation-|snapshot-|restore-|heartbeat-|internal-topic-|topics-)/;

export function describeFailure(failure: Failure): string {
  const { applicationId, checker, what, scenario, shrinkRuns, part, withoutFaults } = failure;
  const { seed, inputs, faults, members } = scenario;
  const size = `${count(inputs.length, 'record')}, ${count(faults.length, 'fault')} and ${count(members, 'member')}`;
  return [
    `simulate: with seed ${seed}, ${applicationId} breaks '${checker}': ${cut(what, WHAT_MOST)}`,
    '',
    ...(withoutFaults === null
      ? [`It takes ${size} (shrunk in ${count(shrinkRuns, 'run')}):`]
      : [`It fails even without faults. ${withoutFaults}`, '', `The run had ${size}:`]),
    ...faults.flatMap((fault, index) => faultInWords(fault, failure.faultEffects, index)),
    ...inputs.slice(0, INPUTS_MOST).map((input) => `  ${inputInWords(input, failure.inputs.get(input.topic))}`),
    ...(inputs.length > INPUTS_MOST ? [`  and ${count(inputs.length - INPUTS_MOST, 'record')} more`] : []),
    '',
    failure.faultEffects.length === 0
      ? 'The end of its timeline (virtual milliseconds; all of it: details.timeline of this error):'
      : 'Its timeline around the last fault (virtual milliseconds; all of it: details.timeline of this error):',
    ...excerpt(failure.timeline).map((line) => `  ${cut(line.trim(), LINE_MOST)}`),
    '',
    `To run it again: simulate(app, { …, seeds: [${seed}], part: ${partInWords(part)} })`,
    `The whole seed: simulate(app, { …, seeds: [${seed}] })`,
  ].join('\n');
}

/** What the kind does, and what this one has done: to which call of which process, and when. */
function faultInWords({ kind, ...parameters }: Fault, effects: readonly FaultEffect[], index: number): string[] {
  const drawn = Object.entries(parameters).map(([name, value]) => `${name} ${value}`);
  const hits = effects.filter(({ fault }) => fault === index);
  return [
    `  fault ${kind}: ${faultKind(kind).about}${drawn.length === 0 ? '' : ` (${drawn.join(', ')})`}`,
    ...hits.map(({ atMs, details }) => `    took effect at ${Math.round(atMs)} ms${hit(details)}`),
    ...(hits.length === 0 ? ['    took no effect: its moment never came'] : []),
  ];
}

function hit({ process, port, method, ...others }: FaultEffect['details']): string {
  const call = port === undefined ? '' : ` in ${String(port)}.${String(method)}`;
  const rest = Object.entries(others).map(([name, value]) => `${name} ${inJson(value)}`);
  const where = process === undefined ? '' : ` on ${String(process)}${call}`;
  return `${where}${rest.length === 0 ? '' : ` (${cut(rest.join(', '), VALUE_MOST)})`}`;
}

function inputInWords({ atMs, topic, partition, key, value }: ScenarioInput, serdes: InputTopic | undefined): string {
  const shown = (bytes: Uint8Array | null, serde: InputTopic['key'] | undefined) =>
    bytes === null || serde === undefined ? 'null' : cut(inJson(serde.deserialize(bytes)), VALUE_MOST);
  return `record at ${Math.round(atMs)} ms to ${topic}-${partition}: ${shown(key, serdes?.key)} → ${shown(value, serdes?.value)}`;
}

/** As the option `part` takes it. */
function partInWords({ faults, inputs, members }: ScenarioPart): string {
  return `{ faults: '${formatIndexRanges(faults)}', inputs: '${formatIndexRanges(inputs)}', members: ${members} }`;
}

/** What befell records and commits around the last fault, or at the end. What the checkers said is printed above. */
function excerpt(timeline: readonly TimelineEntry[]): readonly string[] {
  const entries = timeline.filter(
    ({ who, event }) => who === 'fault' || who === 'world' || (who.startsWith('task#') && !BESIDE.test(event)),
  );
  const last = entries.findLastIndex(({ who }) => who === 'fault');
  const shown =
    last < 0
      ? entries.slice(-LINES_BEFORE - LINES_AFTER)
      : entries.slice(Math.max(0, last - LINES_BEFORE), last + LINES_AFTER);
  return timelineLines(shown);
}

function inJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? `${part}n` : part,
  );
  return text ?? String(value);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
