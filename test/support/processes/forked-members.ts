/**
 * Members in operating system processes of their own, which can be killed, stopped and continued.
 * The parent keeps the tables and the invoker; log and snapshots are reached by each process itself.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { RunMember } from '../../../lib/invoke/payloads.js';
import type { MemberId } from '../../../lib/leases/records.js';
import type { LocalProcessesInit, MemberProcesses } from '../../../lib/local/index.js';
import type { LoggedEvent } from '../listening-logger.js';
import { waitFor } from '../wait-for.js';
import type { MemberOrders } from './member-process.js';
import type { ProcessTopology } from './process-apps.js';
import { servePorts } from './remote-port.js';

/** A program that runs one member as member-process.ts does, and how Node is to start it. */
export interface MemberProgram {
  readonly path: string;
  readonly execArgv: readonly string[];
}

const FROM_SOURCE: MemberProgram = {
  path: fileURLToPath(new URL('member-process.ts', import.meta.url)),
  execArgv: ['--import', 'tsx'],
};

export interface ForkedMembersOptions {
  readonly brokers: readonly string[];
  readonly snapshotFolder: string;
  /** Gets what the members log. */
  readonly events: LoggedEvent[];
  /** Settings of the application, as the children have to define it again. */
  readonly settings: MemberOrders['settings'];
  /** Default: the word count. */
  readonly topology?: ProcessTopology;
  /** Default: member-process.ts, compiled as it is loaded. */
  readonly program?: MemberProgram;
  /** Default: the parent's. */
  readonly tables?: MemberOrders['tables'];
  /** For how long an incarnation may run before it has to hand over; undefined: for ever. Default: that. */
  readonly lifetimeMs?: (memberId: MemberId, incarnation: number) => number | undefined;
  /** Whether the scheduler hears at once that a process has died, as by a failure event. Default: it does. */
  readonly reportsDeaths?: boolean;
}

export interface ForkedMember {
  readonly memberId: MemberId;
  readonly incarnation: number;
  readonly child: ChildProcess;
  /** Whether it has said that it has its slot: of two that were asked for, since the first took long to start, one ends without. */
  hasClaimed: boolean;
}

export class ForkedMembers implements MemberProcesses {
  private readonly options: ForkedMembersOptions;
  private readonly init: LocalProcessesInit;
  private readonly members = new Set<ForkedMember>();

  constructor(options: ForkedMembersOptions, init: LocalProcessesInit) {
    this.options = options;
    this.init = init;
  }

  get slots(): ReadonlySet<MemberId> {
    return new Set([...this.members].map(({ memberId }) => memberId));
  }

  /** All processes that run. */
  get all(): readonly ForkedMember[] {
    return [...this.members];
  }

  /** The process that runs a slot; of two that have claimed it (a stopped one and its successor) the newer. */
  of(memberId: MemberId): ForkedMember | undefined {
    const asked = [...this.members].filter((member) => member.memberId === memberId);
    return asked.findLast(({ hasClaimed }) => hasClaimed) ?? asked.at(-1);
  }

  async run({ memberId, incarnation }: RunMember): Promise<void> {
    const { path, execArgv } = this.options.program ?? FROM_SOURCE;
    const child = fork(path, { execArgv: [...execArgv], serialization: 'advanced', silent: true });
    const member: ForkedMember = { memberId, incarnation, child, hasClaimed: false };
    this.members.add(member);
    const { leases, invoker } = this.init.portsOf({ memberId, incarnation });
    servePorts(child, { leases, invoker });
    this.listen(member);
    const { brokers, snapshotFolder, settings, topology = 'word-count', tables } = this.options;
    const lifetimeMs = this.options.lifetimeMs?.(memberId, incarnation);
    const { applicationId } = this.init.app;
    const orders: MemberOrders = {
      kind: 'orders',
      topology,
      applicationId,
      settings,
      memberId,
      incarnation,
      brokers,
      snapshotFolder,
      ...(tables === undefined ? {} : { tables }),
      ...(lifetimeMs === undefined ? {} : { lifetimeMs }),
    };
    child.send(orders);
    const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
    this.members.delete(member);
    if (code !== 0 && this.options.reportsDeaths !== false) this.init.failed({ memberId, incarnation });
  }

  /** Makes a process stop itself in its next commit. @returns whether it stands still; false if it has ended before */
  async stopInCommit({ child }: ForkedMember): Promise<boolean> {
    child.send({ kind: 'stop in commit' });
    const state = await waitFor('the process to stop in a commit', async () => {
      const now = await stateOf(child);
      return (now === 'T' || now === 'gone') && now;
    });
    return state === 'T';
  }

  crash(memberId: MemberId): boolean {
    const member = this.of(memberId);
    if (member === undefined) return false;
    this.members.delete(member); // from now on it is not there, whenever the system gets to ending it
    return member.child.kill('SIGKILL');
  }

  async stop(memberId: MemberId): Promise<boolean> {
    const member = this.of(memberId);
    if (member === undefined) return false;
    const exited = new Promise((resolve) => member.child.once('exit', resolve));
    member.child.kill('SIGTERM');
    await exited;
    return true;
  }

  end(): void {
    for (const { child } of this.members) {
      child.kill('SIGCONT');
      child.kill('SIGTERM');
    }
  }

  private listen(member: ForkedMember): void {
    const { events } = this.options;
    for (const stream of [member.child.stdout, member.child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        const said = eventOf(line);
        if (said.event === 'member-claimed') member.hasClaimed = true;
        events.push(said);
      });
    }
  }
}

/** Linux's letter for the state of a process: `T` is stopped. */
async function stateOf({ pid, exitCode, signalCode }: ChildProcess): Promise<string | undefined> {
  if (exitCode !== null || signalCode !== null) return 'gone';
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).at(0);
}

/** A line of a JSON lines logger; `at` is among its fields. */
export function eventOf(line: string): LoggedEvent {
  try {
    const { level, event, ...fields } = JSON.parse(line) as Pick<LoggedEvent, 'level' | 'event'>;
    return { level, event, fields };
  } catch {
    return { level: 'error', event: 'output', fields: { line } };
  }
}
