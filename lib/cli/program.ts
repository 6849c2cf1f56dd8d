/**
 * The commands and their options, by commander (decision 29). Each command line is read to one request; who answers it is connect.ts.
 */
import { Command as CommanderCommand, InvalidArgumentError } from 'commander';
import { WARM_PATIENCE_MS } from '../leases/drain-marks.js';
import type { MemberId } from '../leases/records.js';
import { parseTaskId, type TaskId } from '../model/task-id.js';
import type { ConnectionOptions } from './connect.js';
import type { Asked, Command } from './request.js';

/** Timelines shown unless told otherwise. */
const TIMELINES_SHOWN = 20;

/** What a command line has asked for. */
export type Run = <C extends Command>(
  command: C,
  asked: Asked[C],
  options: ConnectionOptions & { readonly json: boolean },
) => Promise<void>;

/** The program; `run` is called with what was asked. Mistakes are thrown as commander's own errors. */
export function createProgram(run: Run): CommanderCommand {
  const program = new CommanderCommand('millrace')
    .description('Look at a running Millrace application, and drain its members.')
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError('(millrace help <command> lists the options)');

  const command = (parent: CommanderCommand, name: string, description: string): CommanderCommand =>
    parent
      .command(name)
      .description(description)
      .option('--app <module>', 'built module that exports the application')
      .option('--application-id <id>', 'application id, instead of --app')
      .option('--socket <path>', 'socket of an embedded application (LocalStreams, option inspect)')
      .option('--members-table <name>', 'instead of MILLRACE_MEMBERS_TABLE')
      .option('--leases-table <name>', 'instead of MILLRACE_LEASES_TABLE')
      .option('--plans-table <name>', 'instead of MILLRACE_PLANS_TABLE')
      .option('--history-table <name>', 'instead of MILLRACE_HISTORY_TABLE')
      .option('--json', 'print JSON', false);

  command(program, 'describe', 'the application at a glance: topology, settings, plan').action((options) =>
    run('describe', {}, connection(options)),
  );
  command(program, 'tasks', 'who runs which task, and who keeps copies').action((options) =>
    run('tasks', {}, connection(options)),
  );
  command(program, 'members', 'the slots, who runs them, and what they hold').action((options) =>
    run('members', {}, connection(options)),
  );
  const plan = command(program, 'plan', 'the newest plan, or one by its number')
    .argument('[number]', 'number of the plan', wholeNumber)
    .action((number: number | undefined, options) => run('plan', { number: number ?? null }, connection(options)));
  plan.enablePositionalOptions();
  command(plan, 'explain', 'why a plan is as it is, or why a task has moved')
    .argument('[task]', 'such as 1_3', taskIdArgument)
    .option('--plan <number>', 'of this plan; default: the newest, or all that moved the task', wholeNumber)
    .action((taskId: TaskId | undefined, options: Options & { readonly plan?: number }) =>
      run('plan explain', { taskId: taskId ?? null, number: options.plan ?? null }, connection(options)),
    );
  command(plan, 'history', 'the plans whose explanations are kept').action((options) =>
    run('plan history', {}, connection(options)),
  );
  command(program, 'lag', 'how far tasks are behind their inputs, and copies behind their changelogs').action(
    (options) => run('lag', {}, connection(options)),
  );
  command(program, 'timeline', 'failovers, moves and restarts: what each part of them took')
    .argument('[task]', 'such as 1_3', taskIdArgument)
    .option('--limit <count>', 'how many are shown, the newest first', wholeNumber, TIMELINES_SHOWN)
    .action((taskId: TaskId | undefined, options: Options & { readonly limit: number }) =>
      run('timeline', { taskId: taskId ?? null, limit: options.limit }, connection(options)),
    );
  command(program, 'drain', 'move the tasks of a member away, end it, and leave its slot empty')
    .argument('<member>', 'such as member-2', memberIdArgument)
    .option('--warm-first', 'move tasks only once copies elsewhere are caught up', false)
    .option('--patience <seconds>', 'how long --warm-first waits for copies', wholeNumber, WARM_PATIENCE_MS / 1_000)
    .option('--cancel', 'take the drain back', false)
    .action((memberId: MemberId, options: Options & DrainOptions) => {
      const warmForMs = options.warmFirst ? options.patience * 1_000 : null;
      return run('drain', { memberId, cancel: options.cancel, warmForMs }, connection(options));
    });
  const snapshots = command(program, 'snapshots', 'what becomes of stores that are restored from snapshots');
  snapshots.enablePositionalOptions();
  command(
    snapshots,
    'verify',
    'prove that snapshot and tail come to what the whole changelog does; slow: it reads both',
  )
    .argument('[task]', 'such as 1_3; default: all', taskIdArgument)
    .option('--store <name>', 'of this store alone')
    .option('--snapshots-bucket <name>', 'instead of MILLRACE_SNAPSHOTS_BUCKET')
    .action((taskId: TaskId | undefined, options: Options & { readonly store?: string }) =>
      run('snapshots verify', { taskId: taskId ?? null, store: options.store ?? null }, connection(options)),
    );
  return program;
}

interface DrainOptions {
  readonly warmFirst: boolean;
  readonly patience: number;
  readonly cancel: boolean;
}

type Options = ConnectionOptions & { readonly json: boolean };

/** The options of connection that were given, without those of the command. */
function connection(options: Options): Options {
  const { app, applicationId, socket, membersTable, leasesTable, plansTable, historyTable, snapshotsBucket, json } =
    options;
  const given = { app, applicationId, socket, membersTable, leasesTable, plansTable, historyTable, snapshotsBucket };
  return { ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)), json };
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('A whole number from 1 is wanted.');
  return number;
}

function memberIdArgument(text: string): MemberId {
  if (/^member-[1-9]\d{0,8}$/.test(text)) return text as MemberId;
  throw new InvalidArgumentError("A member is wanted: 'member-<number>', such as member-2.");
}

function taskIdArgument(text: string): TaskId {
  try {
    return parseTaskId(text).id;
  } catch {
    throw new InvalidArgumentError("A task id is wanted: '<sub-topology>_<partition>', such as 1_3.");
  }
}
