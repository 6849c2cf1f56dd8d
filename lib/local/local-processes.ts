/**
 * The processes of members in this process: each runs the task function once, in an execution environment that may have run
 * before. Which slot it runs is decided by its claim, not by whom it was invoked for.
 *
 *   P1  an environment is used by one process at a time; a crash takes it along
 *   P2  what ended badly is named by the slot that it claimed, or by the one it was to claim if it got no further
 */
import type { RunMember } from '../invoke/payloads.js';
import type { Incarnation, MemberId } from '../leases/records.js';
import type { StreamsError } from '../model/errors.js';
import type { RuntimeEvent } from '../runtime/events.js';
import { KeptStores } from '../runtime/kept-stores.js';
import { CRASH } from '../runtime/mortal-ports.js';
import type { RuntimePorts } from '../runtime/ports.js';
import { runMember } from '../runtime/run-member.js';
import type { StreamsApp } from '../topology/app.js';

/** What runs members. The ones of this file run them in this process; others may start processes of their own. */
export interface MemberProcesses {
  /** Slots that are run now. */
  readonly slots: ReadonlySet<MemberId>;
  /** Runs the task function to its end. @throws what made it fail */
  run(payload: RunMember): Promise<void>;
  /** Ends the process of a slot without warning. @returns false if the slot is not run */
  crash(memberId: MemberId): boolean;
  /** Asks the process of a slot to end in order, and its environment with it. @returns when it has; false if the slot is not run */
  stop(memberId: MemberId): Promise<boolean>;
  /** Asks all processes to end in order. */
  end(): void;
}

export interface LocalProcessesInit {
  readonly app: StreamsApp;
  /** The ports of the process that was invoked for that incarnation. */
  readonly portsOf: (invokedFor: Incarnation) => RuntimePorts;
  /** Tags of the process that was invoked for that incarnation; absent: none. */
  readonly tagsOf?: (invokedFor: Incarnation) => Readonly<Record<string, string>>;
  /** Told of each process that died or ended with an error. */
  readonly failed: (member: Incarnation) => void;
  /** Told that the handler of uncaught exceptions has answered `shutdownClient` in one of them, before it ends. */
  readonly shutDown: (error: StreamsError) => void;
}

interface LocalProcess {
  readonly ending: AbortController;
  /** Apart from `ending`: what was asked to end may still have to be crashed. */
  readonly crashing: AbortController;
  /** What its environment holds. */
  readonly kept: KeptStores;
  /** Resolves when it has ended, well or badly. */
  readonly ended: Promise<void>;
  /** Whether its environment ends with it. */
  isLast: boolean;
  /** Null until it has claimed a slot. */
  claimed: Incarnation | null;
}

export class LocalProcesses implements MemberProcesses {
  private readonly init: LocalProcessesInit;
  private readonly processes = new Set<LocalProcess>();
  private readonly bySlot = new Map<MemberId, LocalProcess>();
  /** Environments that nobody uses now, by the slot that they ran last. */
  private readonly idle = new Map<MemberId, KeptStores>();

  constructor(init: LocalProcessesInit) {
    this.init = init;
  }

  /** Slots that are run now. */
  get slots(): ReadonlySet<MemberId> {
    return new Set(this.bySlot.keys());
  }

  /** Runs the task function to its end. @throws as `runMember` */
  async run({ memberId, incarnation, others = [] }: RunMember): Promise<void> {
    const { app, portsOf, tagsOf, failed, shutDown } = this.init;
    const ending = new AbortController();
    const crashing = new AbortController();
    let over = () => {};
    const ended = new Promise<void>((resolve) => {
      over = resolve;
    });
    const kept = this.environmentOf(memberId);
    const process: LocalProcess = { ending, crashing, kept, ended, isLast: false, claimed: null };
    this.processes.add(process);
    let isSound = false;
    try {
      await runMember({
        app,
        ports: portsOf({ memberId, incarnation }),
        memberId,
        incarnation,
        others,
        kept: process.kept,
        tags: tagsOf?.({ memberId, incarnation }) ?? {},
        signal: ending.signal,
        crash: crashing.signal,
        onEvent: (event) => this.heard(process, event),
        onShutdownClient: shutDown,
      });
      isSound = !crashing.signal.aborted;
    } finally {
      const self = process.claimed ?? { memberId, incarnation };
      this.processes.delete(process);
      if (this.bySlot.get(self.memberId) === process) this.bySlot.delete(self.memberId);
      over();
      if (!isSound) failed(self);
      else if (!process.isLast && (process.claimed !== null || !this.idle.has(memberId)))
        this.idle.set(self.memberId, process.kept);
    }
  }

  /** Ends the process of a slot as if it had died. @returns false if the slot is not run */
  crash(memberId: MemberId): boolean {
    const process = this.bySlot.get(memberId);
    process?.crashing.abort(CRASH);
    return process !== undefined;
  }

  /** As a new version of the code does: nothing of this environment outlives it. */
  async stop(memberId: MemberId): Promise<boolean> {
    const process = this.bySlot.get(memberId);
    if (process === undefined) return false;
    process.isLast = true;
    process.ending.abort();
    await process.ended;
    return true;
  }

  /** Asks all processes to end in order. */
  end(): void {
    for (const { ending } of this.processes) ending.abort();
  }

  private environmentOf(memberId: MemberId): KeptStores {
    const kept = this.idle.get(memberId) ?? new KeptStores();
    this.idle.delete(memberId);
    return kept;
  }

  private heard(process: LocalProcess, { event, fields }: RuntimeEvent): void {
    if (event !== 'member-claimed') return;
    process.claimed = { memberId: fields.memberId as MemberId, incarnation: Number(fields.incarnation) };
    this.bySlot.set(process.claimed.memberId, process);
  }
}
