/** The outcome of many seeds as text: a table of what happened, and each failure so that a person can go on from there. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reproducePart, reproduceSeed } from './reproduce.js';
import type { SeedsOutcome } from './run-seeds.js';
import { neverHappened, SEEDS_FOR_ALL, type Tally } from './tally.js';
import { root } from './worker-bundle.js';
import type { SeedResult } from './worker-jobs.js';

/** Lines of a timeline that are printed: its end. All of it is in a file. */
const TIMELINE_LINES_MOST = 60;
const LINE_MOST = 400;
const VIOLATIONS_MOST = 5;
const WHAT_MOST = 1_500;
const RESULTS = '.results/simulation';
/** Events that are worth a line of their own, in the order of a task's life. */
const NOTED = [
  'task-taken',
  'restore-waits',
  'restore-finished',
  'restore-failed',
  'restore-progress-kept',
  'restore-progress-lost',
  'snapshot-written',
  'snapshot-refused',
  'snapshot-failed',
  'commit-outcome-unknown',
  'commit-rejected',
  'task-recovering',
  'task-released',
  'task-migrated',
  'task-left',
  'task-failed',
  'release-refused',
  'slot-lost',
  'successor-invoked',
  'member-declared-dead',
  'member-turn-failed',
  'heartbeat-failed',
  'payload-expired',
  'plan-written',
  'plan-rejected',
  'tick-failed',
  'tick-overtaken',
  'scheduler-rung',
  'invocation-failed',
  'failure-reported',
];

/** Whether all held, in words: empty if it did. */
export function whatDidNotHold({ tally, failed }: SeedsOutcome): readonly string[] {
  const missing = tally.seeds >= SEEDS_FOR_ALL ? neverHappened(tally) : [];
  return [
    ...(failed.length === 0
      ? []
      : [`${failed.length} of ${tally.seeds} seeds failed: ${failed.map(({ seed }) => seed).join(', ')}`]),
    ...(missing.length === 0 ? [] : [`never happened in ${tally.seeds} seeds: ${missing.join(', ')}`]),
  ];
}

export function reportTally(tally: Tally): string {
  const faults = [...tally.faultsDrawn].map(
    ([kind, drawn]) => [kind, drawn, tally.faultsFired.get(kind) ?? 0] as const,
  );
  return [
    ...table(['fault', 'drawn', 'fired'], faults),
    '',
    ...table(['transition of slot or lease', 'times'], [...tally.transitions]),
    '',
    ...table(
      ['event', 'times'],
      NOTED.map((event) => [event, tally.events.get(event) ?? 0] as const),
    ),
    '',
    `${Math.round(tally.virtualMs / 60_000)} virtual minutes`,
  ].join('\n');
}

/** One failed seed, made smaller; the whole timeline and the scenario go into files. */
export async function reportFailure(result: SeedResult): Promise<string> {
  const { seed, violations, shown } = result;
  const lines = [`FAILED seed ${seed}: ${[...new Set(violations.map(({ checker }) => checker))].join(', ')}`];
  for (const { checker, what } of violations.slice(0, VIOLATIONS_MOST))
    lines.push(`  ${checker}: ${cut(what, WHAT_MOST)}`);
  if (violations.length > VIOLATIONS_MOST) lines.push(`  and ${violations.length - VIOLATIONS_MOST} more`);
  if (shown === undefined) return [...lines, `  again: ${reproduceSeed(seed)}`].join('\n');
  const { part, runs, faults, timeline, scenario } = shown;
  const file = (name: string) => join(RESULTS, `seed-${seed}.${name}`);
  await mkdir(join(root, RESULTS), { recursive: true });
  await writeFile(join(root, file('timeline.txt')), `${timeline.join('\n')}\n`);
  await writeFile(join(root, file('scenario.json')), `${JSON.stringify(scenario, null, 1)}\n`);
  lines.push(
    `  shrunk in ${runs} runs to ${count(faults.length, 'fault')}, ${count(part.inputs.length, 'input')}, ${count(part.members, 'member')}:`,
    `    ${reproducePart(seed, part)}`,
    ...faults.map((fault) => `    ${fault}`),
    `  timeline, its end (all of it: ${file('timeline.txt')}; the scenario: ${file('scenario.json')}):`,
    ...ending(timeline).map((line) => `    ${cut(line, LINE_MOST)}`),
  );
  return lines.join('\n');
}

/** @param rows the first column is text, the others numbers */
export function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): readonly string[] {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => String(row[column] ?? '').length)),
  );
  const line = (cells: readonly (string | number)[]) =>
    cells
      .map((cell, column) =>
        typeof cell === 'number' ? String(cell).padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [line(heads), ...rows.map(line)];
}

/** The end of a timeline; what the checkers said is printed above it. */
function ending(timeline: readonly string[]): readonly string[] {
  return timeline.filter((line) => !/^ *[\d.]+ checker /.test(line)).slice(-TIMELINE_LINES_MOST);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
