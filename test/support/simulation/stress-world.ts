/**
 * A whole deployment in virtual time: two schedulers, members that come and go, standbys and doorbells, each process behind
 * faulty ports of its own. The seed decides everything.
 */
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { createMemoryInvoker, type MemoryInvoker } from '../../../lib/invoke/memory/memory-invoker.js';
import type { RunMember } from '../../../lib/invoke/payloads.js';
import { createMemoryLeaseStore } from '../../../lib/leases/memory/memory-lease-store.js';
import type { Incarnation, MemberId } from '../../../lib/leases/records.js';
import { createMemoryLog, type MemoryLog } from '../../../lib/log/memory/memory-log.js';
import { asStreamsError } from '../../../lib/model/errors.js';
import { parseTaskId } from '../../../lib/model/task-id.js';
import { KeptStores } from '../../../lib/runtime/kept-stores.js';
import { deathSignal, mortalPorts } from '../../../lib/runtime/mortal-ports.js';
import type { RuntimePorts } from '../../../lib/runtime/ports.js';
import { runDoorbell } from '../../../lib/runtime/run-doorbell.js';
import { type MemberOutcome, type RunMemberOptions, runMember } from '../../../lib/runtime/run-member.js';
import { runStandby } from '../../../lib/runtime/run-standby.js';
import { createHeartbeatWatch } from '../../../lib/scheduler/heartbeat-watch.js';
import { runScheduler } from '../../../lib/scheduler/run-scheduler.js';
import { runTick } from '../../../lib/scheduler/run-tick.js';
import { createMemorySnapshotStore } from '../../../lib/snapshots/memory/memory-snapshot-store.js';
import type { StreamsApp } from '../../../lib/topology/app.js';
import { type LoggedEvent, listeningLogger } from '../listening-logger.js';
import { seededRandom } from '../text-of-words.js';
import { type FaultRates, faultyPorts } from './faulty-ports.js';
import { SINK_TOPICS, SOURCE_TOPICS } from './stress-app.js';
import { VirtualTime } from './virtual-time.js';

/** Chance that an invocation is delivered twice, or never. */
const TWICE = 0.1;
const NEVER = 0.05;
/** Chance that the end of a dead process is reported; else only its silence tells. */
const REPORTED = 0.5;

interface Process {
  readonly life: AbortController;
  readonly claimed: { self: Incarnation | null };
}

export class StressWorld {
  readonly time: VirtualTime;
  readonly random: () => number;
  readonly app: StreamsApp;
  readonly log: MemoryLog;
  readonly ports: RuntimePorts;
  readonly events: LoggedEvent[];
  /** What must not have happened. */
  readonly broken: string[] = [];
  readonly processes = new Set<Process>();
  rates: FaultRates | null;
  wanted = 1;
  crashes = 0;
  private readonly invoker: MemoryInvoker;
  private readonly environments: KeptStores[] = [];
  private readonly ending = new AbortController();
  private readonly background = new Set<Promise<unknown>>();
  private readonly deadlines: boolean;

  private constructor(
    init: Pick<StressWorld, 'time' | 'random' | 'app' | 'log' | 'events'> & {
      readonly rates: FaultRates;
      readonly host: RuntimePorts['host'];
      readonly deadlines: boolean;
    },
  ) {
    const { time, random, app, log, events, rates, host, deadlines } = init;
    this.time = time;
    this.random = random;
    this.app = app;
    this.log = log;
    this.events = events;
    this.rates = rates;
    this.deadlines = deadlines;
    this.invoker = createMemoryInvoker({ clock: time.clock });
    const invoker = { invoke: this.invoker.invoke.bind(this.invoker) };
    const snapshots = createMemorySnapshotStore({ clock: time.clock });
    this.ports = { log, leases: createMemoryLeaseStore(), snapshots, invoker, host };
    this.invoker.register('task', (payload) =>
      payload.type === 'run-member' ? this.deliver(payload) : this.doorbell(payload.partitions),
    );
    this.invoker.register('standby', ({ taskIds }) =>
      this.within((ports, { signal }) =>
        runStandby({ app, ports, taskIds: taskIds.map((id) => parseTaskId(id).id), signal }),
      ),
    );
    this.invoker.register('scheduler', async () => undefined);
  }

  static async create(init: {
    readonly seed: number;
    readonly app: StreamsApp;
    readonly rates: FaultRates;
    /** Whether invocations have to be over after a few seconds. */
    readonly deadlines: boolean;
  }): Promise<StressWorld> {
    const time = new VirtualTime();
    const random = seededRandom(init.seed);
    const events: LoggedEvent[] = [];
    const id = () => Array.from({ length: 16 }, () => Math.floor(random() * 16).toString(16)).join('');
    const host = {
      ...createNodeHost({ logger: listeningLogger(events), random: { next: random, id } }),
      clock: time.clock,
    };
    const log = await createMemoryLog({ host });
    for (const [name, partitions] of Object.entries({ ...SOURCE_TOPICS, ...SINK_TOPICS }))
      await log.createTopic({ name, partitions, config: {} });
    return new StressWorld({ ...init, time, random, log, events, host });
  }

  /** Two schedulers, each restarted whenever it dies. */
  start(): void {
    for (let scheduler = 0; scheduler < 2; scheduler += 1) this.inBackground(this.schedule());
  }

  /** Ends everybody in order. */
  async end(): Promise<void> {
    this.ending.abort();
    for (const { life } of this.processes) life.abort();
    while (this.background.size > 0) await Promise.all(this.background);
    await this.invoker.close();
  }

  /** Ends one process at random as if it had died. */
  crashOne(): void {
    const all = [...this.processes].filter(({ life }) => !life.signal.aborted);
    const victim = all[Math.floor(this.random() * all.length)];
    if (victim !== undefined) this.kill(victim.life);
  }

  /** Rings for a partition of a source topic. */
  ring(topic: string, partition: number): void {
    this.inBackground(this.doorbell([{ topic, partition, toOffset: null }]));
  }

  private async schedule(): Promise<void> {
    while (!this.ending.signal.aborted) {
      await this.within((ports, { signal }) =>
        runScheduler({
          app: this.app,
          ports: mortalPorts(ports, deathSignal(signal, undefined)),
          watch: createHeartbeatWatch(),
          signal: AbortSignal.any([signal, this.ending.signal]),
          whileMembers: false,
          overrides: () => ({ members: this.wanted }),
        }),
      );
      await this.time.clock.sleep(50);
    }
  }

  private async deliver({ memberId, incarnation, others = [], expiresAtMs }: RunMember): Promise<void> {
    const { random } = this;
    await this.time.clock.sleep(random() * 50);
    if (this.rates !== null && random() < NEVER) return;
    const copies = this.rates !== null && random() < TWICE ? 2 : 1;
    await Promise.all(
      Array.from({ length: copies }, async () => {
        await this.time.clock.sleep(random() * 30);
        if (expiresAtMs >= this.time.clock.now()) await this.member({ memberId, incarnation }, others);
      }),
    );
  }

  private member(invokedFor: Incarnation, others: readonly Incarnation[]): Promise<void> {
    return this.within((ports, options) => runMember({ app: this.app, ports, ...invokedFor, others, ...options }));
  }

  private doorbell(partitions: Parameters<typeof runDoorbell>[0]['partitions']): Promise<void> {
    return this.within((ports, options) => runDoorbell({ app: this.app, ports, partitions, ...options }));
  }

  /** Runs a function in a process of its own. */
  private async within(
    run: (
      ports: RuntimePorts,
      options: Pick<RunMemberOptions, 'kept' | 'onEvent' | 'deadlineAtMonotonicMs'> & { readonly signal: AbortSignal },
    ) => Promise<unknown>,
  ): Promise<void> {
    if (this.ending.signal.aborted) return;
    const life = new AbortController();
    const process: Process = { life, claimed: { self: null } };
    const kept = this.environments.pop() ?? new KeptStores();
    const ports = faultyPorts(this.ports, {
      random: this.random,
      rates: () => this.rates,
      die: () => this.kill(life),
      broken: (rule) => this.broken.push(rule),
    });
    this.processes.add(process);
    try {
      const outcome = await run(ports, {
        kept,
        signal: life.signal,
        onEvent: ({ event, fields }) => {
          if (event !== 'member-claimed') return;
          process.claimed.self = { memberId: fields.memberId as MemberId, incarnation: Number(fields.incarnation) };
        },
        ...(this.deadlines ? { deadlineAtMonotonicMs: this.time.nowMs + 3_000 + this.random() * 5_000 } : {}),
      });
      if ((outcome as MemberOutcome | undefined)?.ended !== 'crashed') this.environments.push(kept);
      else this.report(process);
    } catch (thrown) {
      const error = asStreamsError(thrown);
      if (error.kind === 'internal' || error.kind === 'invalid') this.broken.push(`${error.code}: ${error.stack}`);
      this.report(process);
    } finally {
      this.processes.delete(process);
    }
  }

  private kill(life: AbortController): void {
    if (life.signal.aborted) return;
    this.crashes += 1;
    life.abort('crash');
  }

  private report({ claimed: { self } }: Process): void {
    if (self === null || this.ending.signal.aborted || this.random() >= REPORTED) return;
    const { app, ports, wanted } = this;
    this.inBackground(
      runTick({
        app,
        ports,
        watch: createHeartbeatWatch(),
        reason: 'failure event',
        failed: [self],
        overrides: { members: wanted },
      }),
    );
  }

  private inBackground(work: Promise<unknown>): void {
    const tracked = work
      .catch((error: unknown) => this.broken.push(`${(error as Error).stack}`))
      .finally(() => this.background.delete(tracked));
    this.background.add(tracked);
  }
}
