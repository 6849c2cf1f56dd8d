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
import { servePorts } from './remote-port.js';

const MEMBER = fileURLToPath(new URL('member-process.ts', import.meta.url));

export interface ForkedMembersOptions {
  readonly brokers: readonly string[];
  readonly snapshotFolder: string;
  /** Gets what the members log. */
  readonly events: LoggedEvent[];
  /** Settings of the application, as the children have to define it again. */
  readonly settings: MemberOrders['settings'];
}

export interface ForkedMember {
  readonly memberId: MemberId;
  readonly incarnation: number;
  readonly child: ChildProcess;
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

  /** The process that runs a slot; of two (a stopped one and its successor) the newer. */
  of(memberId: MemberId): ForkedMember | undefined {
    return [...this.members].filter((member) => member.memberId === memberId).at(-1);
  }

  async run({ memberId, incarnation }: RunMember): Promise<void> {
    const child = fork(MEMBER, { execArgv: ['--import', 'tsx'], serialization: 'advanced', silent: true });
    const member: ForkedMember = { memberId, incarnation, child };
    this.members.add(member);
    const { leases, invoker } = this.init.portsOf({ memberId, incarnation });
    servePorts(child, { leases, invoker });
    this.listen(child);
    const { brokers, snapshotFolder, settings } = this.options;
    const { applicationId } = this.init.app;
    const orders: MemberOrders = {
      kind: 'orders',
      applicationId,
      settings,
      memberId,
      incarnation,
      brokers,
      snapshotFolder,
    };
    child.send(orders);
    const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
    this.members.delete(member);
    if (code !== 0) this.init.failed({ memberId, incarnation });
  }

  /** Makes a process stop itself in its next commit; returns when it stands still. */
  async stopInCommit({ child }: ForkedMember): Promise<void> {
    child.send({ kind: 'stop in commit' });
    await waitFor('the process to stop in a commit', async () => (await stateOf(child)) === 'T');
  }

  crash(memberId: MemberId): boolean {
    return this.of(memberId)?.child.kill('SIGKILL') ?? false;
  }

  end(): void {
    for (const { child } of this.members) {
      child.kill('SIGCONT');
      child.kill('SIGTERM');
    }
  }

  private listen(child: ChildProcess): void {
    const { events } = this.options;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        events.push(eventOf(line));
      });
    }
  }
}

/** Linux's letter for the state of a process: `T` is stopped. */
async function stateOf({ pid }: ChildProcess): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).at(0);
}

function eventOf(line: string): LoggedEvent {
  try {
    const { event, ...fields } = JSON.parse(line) as { event: string };
    return { event, fields };
  } catch {
    return { event: 'output', fields: { line } };
  }
}
