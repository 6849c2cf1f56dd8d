/** A failed run in words: what is wrong, the smallest scenario in which it is, and how to see it again. */
import type { StreamsApp } from '../../../topology/app.js';
import type { Fault } from '../faults/fault.js';
import { faultKind } from '../faults/fault-kinds.js';
import type { Scenario, ScenarioInput } from '../scenario.js';
import { type TimelineEntry, timelineLines } from '../timeline.js';
import type { InputTopic } from './encode-inputs.js';

export interface Failure {
  readonly app: StreamsApp;
  readonly inputs: ReadonlyMap<string, InputTopic>;
  readonly checker: string;
  readonly what: string;
  /** As small as it was made. */
  readonly scenario: Scenario;
  /** Of that scenario. */
  readonly timeline: readonly TimelineEntry[];
  readonly shrinkRuns: number;
}

const WHAT_MOST = 2_000;
const INPUTS_MOST = 12;
const VALUE_MOST = 120;
const LINE_MOST = 180;
/** Lines of the timeline before the last fault took effect, and after. */
const LINES_BEFORE = 8;
const LINES_AFTER = 16;

export function describeFailure(failure: Failure): string {
  const { app, checker, what, scenario, shrinkRuns } = failure;
  const { seed, inputs, faults, members } = scenario;
  return [
    `simulate: with seed ${seed}, ${app.applicationId} breaks '${checker}': ${cut(what, WHAT_MOST)}`,
    '',
    `It takes ${count(inputs.length, 'record')}, ${count(faults.length, 'fault')} and ${count(members, 'member')} (shrunk in ${count(shrinkRuns, 'run')}):`,
    ...faults.map((fault) => `  ${faultInWords(fault)}`),
    ...inputs.slice(0, INPUTS_MOST).map((input) => `  ${inputInWords(input, failure.inputs.get(input.topic))}`),
    ...(inputs.length > INPUTS_MOST ? [`  and ${count(inputs.length - INPUTS_MOST, 'record')} more`] : []),
    '',
    faults.length === 0
      ? 'The end of its timeline (virtual milliseconds):'
      : 'Its timeline around the last fault (virtual milliseconds):',
    ...excerpt(failure.timeline).map((line) => `  ${cut(line.trim(), LINE_MOST)}`),
    '',
    `To run it again: simulate(app, { …, seeds: [${seed}] })`,
  ].join('\n');
}

function faultInWords({ kind, ...parameters }: Fault): string {
  const drawn = Object.entries(parameters).map(([name, value]) => `${name} ${value}`);
  return `fault ${kind}: ${faultKind(kind).about}${drawn.length === 0 ? '' : ` (${drawn.join(', ')})`}`;
}

function inputInWords({ atMs, topic, partition, key, value }: ScenarioInput, serdes: InputTopic | undefined): string {
  const shown = (bytes: Uint8Array | null, serde: InputTopic['key'] | undefined) =>
    bytes === null || serde === undefined ? 'null' : cut(inJson(serde.deserialize(bytes)), VALUE_MOST);
  return `record at ${Math.round(atMs)} ms to ${topic}-${partition}: ${shown(key, serdes?.key)} → ${shown(value, serdes?.value)}`;
}

/** What a person wants to see: around the last fault, or the end. What the checkers said is printed above. */
function excerpt(timeline: readonly TimelineEntry[]): readonly string[] {
  const entries = timeline.filter(({ who }) => who !== 'checker');
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
