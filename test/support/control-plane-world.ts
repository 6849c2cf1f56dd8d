/**
 * Scheduler and members around tables in memory, with a clock moved by hand: members do what the rules of lib/leases ask of
 * them and no work. Invocations wait until they are delivered or lost; a scheduler can be killed before any of its writes.
 */
import type { TaskAssignor } from '../../lib/assignment/task-assignor.js';
import type { Invoker } from '../../lib/invoke/invoker.js';
import type { AdvanceSnapshots, Payload, RunMember } from '../../lib/invoke/payloads.js';
import type { LeaseStore } from '../../lib/leases/lease-store.js';
import { createMemoryLeaseStore } from '../../lib/leases/memory/memory-lease-store.js';
import type { Incarnation, Lease, Member, MemberReport, Plan } from '../../lib/leases/records.js';
import { isGrantedTo, mayTake } from '../../lib/leases/rules.js';
import type { Log } from '../../lib/log/log.js';
import { createMemoryLog, type MemoryLogDefaults } from '../../lib/log/memory/memory-log.js';
import { UnavailableError } from '../../lib/model/errors.js';
import type { MembersRange, SettingsInput } from '../../lib/model/settings.js';
import { compareTaskIds, type TaskId } from '../../lib/model/task-id.js';
import { createHeartbeatWatch, type HeartbeatWatch } from '../../lib/scheduler/heartbeat-watch.js';
import type { Precedence } from '../../lib/scheduler/precedence.js';
import { runTick, type TickOutcome } from '../../lib/scheduler/run-tick.js';
import { long } from '../../lib/serde/number-serdes.js';
import { string } from '../../lib/serde/string-serde.js';
import { defineApp, type StreamsApp } from '../../lib/topology/app.js';
import { keyValueStore } from '../../lib/topology/stores.js';
import { TopologyBuilder } from '../../lib/topology/topology-builder.js';
import { createTestHost, type TestHost } from './test-host.js';

/** Session time-out 1 s, heartbeat 100 ms, tick 200 ms; members are resident. */
export const QUICK: SettingsInput = {
  sessionTimeoutMs: 1_000,
  heartbeatIntervalMs: 100,
  tickIntervalMs: 200,
  idleTimeoutMs: 0,
};

/** Reads `lines`, repartitions to `words`, counts: a stateless and a stateful sub-topology. */
export function countingApp(settings: SettingsInput = {}): StreamsApp {
  const topology = new TopologyBuilder()
    .addSource('lines', 'lines', { key: string(), value: string() })
    .addRepartitionTopic('words')
    .addSink('split', 'words', { parents: 'lines', key: string(), value: string() })
    .addSource('words-in', 'words', { key: string(), value: string() })
    .addProcessor('count', () => ({ process: () => undefined }), { parents: 'words-in' })
    .addStateStore(keyValueStore({ name: 'counts', key: string(), value: long() }), 'count')
    .build();
  return defineApp({ applicationId: 'app', topology, settings: { ...QUICK, ...settings } });
}

/** How a tick is run differently from the plain one. */
export interface TickOptions {
  readonly watch?: HeartbeatWatch;
  readonly failed?: readonly Incarnation[];
  readonly members?: number | MembersRange;
  readonly numStandbyReplicas?: number;
  readonly assignors?: readonly TaskAssignor[];
  readonly precedence?: Precedence;
  /** A person ends the application's rest. */
  readonly resume?: boolean;
  /** What the scheduler finds instead of the log's own answers about offsets. */
  readonly listOffsets?: Log['listOffsets'];
  /** The deployment that the scheduler is of. */
  readonly deployment?: string;
  /** Writes and invocations after which this scheduler dies. */
  readonly dieAfter?: number;
}

const EMPTY_REPORT: MemberReport = { running: [], positions: [], recordsProcessed: 0 };
/** What a scheduler that died answers to its caller: nothing. */
const KILLED = 'the scheduler was killed';

export class ControlPlaneWorld {
  readonly host: TestHost = createTestHost();
  readonly leases: LeaseStore = createMemoryLeaseStore({ plansKept: 10_000 });
  readonly watch = createHeartbeatWatch();
  readonly app: StreamsApp;
  readonly log: Log;
  /** Accepted and not yet delivered. */
  readonly invocations: Payload[] = [];
  readonly processes: SimulatedMember[] = [];
  /** Tags of the members that claim from now on. */
  tagsOf: (memberId: string) => Readonly<Record<string, string>> = () => ({});
  /** Members wanted from the next tick on. */
  wanted: number;

  private constructor(app: StreamsApp, log: Log) {
    this.app = app;
    this.log = log;
    this.wanted = Number(app.settings.members);
  }

  /** A world whose source topic has that many partitions. */
  static async create(
    settings: SettingsInput = {},
    partitions = 4,
    defaults: MemoryLogDefaults = {},
  ): Promise<ControlPlaneWorld> {
    const log = await createMemoryLog({ host: createTestHost(), defaults });
    await log.createTopic({ name: 'lines', partitions, config: {} });
    return new ControlPlaneWorld(countingApp(settings), log);
  }

  /** One tick; null if its scheduler was killed on the way. */
  async tick(options: TickOptions = {}): Promise<TickOutcome | null> {
    const life = { writesLeft: options.dieAfter ?? Number.POSITIVE_INFINITY };
    try {
      return await runTick({
        app:
          options.deployment === undefined
            ? this.app
            : { ...this.app, settings: { ...this.app.settings, deployment: options.deployment } },
        ports: {
          log: withListOffsets(mortal(this.log, ['createTopic'], life), options.listOffsets),
          leases: mortal(
            this.leases,
            ['createMember', 'declareDead', 'writePlan', 'announcePlan', 'deleteMember'],
            life,
          ),
          invoker: mortal(this.invoker(), ['invoke'], life),
          host: this.host,
        },
        watch: options.watch ?? this.watch,
        reason: 'test',
        failed: options.failed ?? [],
        resume: options.resume ?? false,
        overrides: {
          members: options.members ?? this.wanted,
          ...(options.numStandbyReplicas === undefined ? {} : { numStandbyReplicas: options.numStandbyReplicas }),
        },
        ...(options.precedence === undefined ? {} : { precedence: options.precedence }),
        ...(options.assignors === undefined ? {} : { assignors: options.assignors }),
      });
    } catch (error) {
      if (life.writesLeft < 0 && (error as Error).message === KILLED) return null;
      throw error;
    }
  }

  /** Delivers the oldest invocation: a task function claims its slot and lives on. */
  async deliver(): Promise<void> {
    const payload = this.invocations.shift();
    if (payload?.type !== 'run-member' || payload.expiresAtMs < this.host.clock.now()) return;
    const { memberId, incarnation } = payload;
    const tags = this.tagsOf(memberId);
    const claim = await this.leases.claimMember({ memberId, incarnation, report: EMPTY_REPORT, tags });
    if (claim.applied) this.processes.push(new SimulatedMember(this.leases, claim.item));
  }

  async deliverAll(): Promise<void> {
    while (this.invocations.length > 0) await this.deliver();
  }

  get living(): readonly SimulatedMember[] {
    return this.processes.filter(({ isRunning }) => isRunning);
  }

  /** Every living member heartbeats and does what the plan asks. */
  async membersAct(): Promise<void> {
    for (const process of this.living) await process.act();
  }

  /** Time passes, everybody acts, one tick. */
  async round(options: TickOptions = {}): Promise<TickOutcome | null> {
    await this.host.advance(this.app.settings.tickIntervalMs);
    const outcome = await this.tick(options);
    await this.deliverAll();
    await this.membersAct();
    return outcome;
  }

  /** Rounds until a number of them in a row changed nothing; answers how many it took, or fails beyond `bound`. */
  async settle(bound: number, quietRounds = 8, options: TickOptions = {}): Promise<number> {
    let quiet = 0;
    for (let round = 1; round <= bound; round += 1) {
      const before = JSON.stringify([await this.leases.readPlan(), await this.leases.listLeases()]);
      const outcome = await this.round(options);
      const after = JSON.stringify([await this.leases.readPlan(), await this.leases.listLeases()]);
      quiet = outcome?.done.length === 0 && before === after ? quiet + 1 : 0;
      if (quiet === quietRounds) return round - quietRounds;
    }
    throw new Error(`not settled within ${bound} rounds: ${JSON.stringify(await this.leases.readPlan())}`);
  }

  /** Owner slot of each task that is held. */
  async owners(): Promise<Readonly<Record<string, string>>> {
    const leases = await this.leases.listLeases();
    return Object.fromEntries(
      leases.flatMap(({ taskId, owner }) => (owner === null ? [] : [[taskId, owner.memberId]])),
    );
  }

  /** @throws {Error} if there is no plan */
  async newestPlan(): Promise<Plan> {
    const plan = await this.leases.readPlan();
    if (plan === null) throw new Error('there is no plan');
    return plan;
  }

  /** How many tasks each slot holds. */
  async loads(): Promise<Readonly<Record<string, number>>> {
    const loads: Record<string, number> = {};
    for (const id of Object.values(await this.owners())) loads[id] = (loads[id] ?? 0) + 1;
    return loads;
  }

  member(number: number): SimulatedMember {
    const found = this.living.find(({ self }) => self.memberId === `member-${number}`);
    if (found === undefined) throw new Error(`member-${number} is not running`);
    return found;
  }

  async slots(): Promise<readonly Member[]> {
    return this.leases.listMembers();
  }

  private invoker(): Invoker {
    return {
      invoke: async (_, payload: RunMember | AdvanceSnapshots | Payload) => {
        this.invocations.push(payload);
      },
    };
  }
}

/** One incarnation of a slot. */
export class SimulatedMember {
  readonly self: Incarnation;
  /** False after its end, whatever the tables say. */
  isRunning = true;
  /** A frozen process does nothing, and goes on later as if no time had passed. */
  isFrozen = false;
  /** What it reports besides the tasks that it runs. */
  reported: Partial<MemberReport> = {};
  private readonly leases: LeaseStore;
  private readonly held = new Map<TaskId, Lease>();
  /** It reads a plan only when its claim or the reply to a heartbeat says that there is a newer one. */
  private announced: number;
  private plan: Plan | null = null;

  constructor(leases: LeaseStore, { memberId, incarnation, planNumber }: Member) {
    this.leases = leases;
    this.self = { memberId, incarnation };
    this.announced = planNumber;
  }

  async act(): Promise<void> {
    if (!this.isRunning || this.isFrozen) return;
    const running = [...this.held.keys()].sort(compareTaskIds);
    const report: MemberReport = { ...EMPTY_REPORT, running, ...this.reported };
    const beat = await this.leases.heartbeat({ ...this.self, report });
    if (!beat.applied) {
      this.crash(); // declared dead, or superseded: it stops and leaves its leases alone
      return;
    }
    this.announced = Math.max(this.announced, beat.item.planNumber);
    if (this.announced > (this.plan?.number ?? 0)) this.plan = await this.leases.readPlan();
    const { plan } = this;
    if (plan === null) return;
    if (plan.assignment[this.self.memberId] === undefined) return this.end();
    for (const taskId of [...this.held.keys()])
      if (!isGrantedTo(plan, taskId, this.self.memberId)) await this.release(taskId);
    for (const taskId of plan.assignment[this.self.memberId]?.active ?? []) {
      if (this.held.has(taskId)) continue;
      const lease = await this.leases.readLease(taskId);
      if (!mayTake({ plan, taskId, lease, self: this.self }).may) continue;
      const taken = await this.leases.takeLease({ taskId, owner: this.self, expected: lease });
      if (taken.applied) this.held.set(taskId, taken.item);
    }
  }

  /** Ends cleanly: releases all and frees the slot. */
  async end(): Promise<void> {
    for (const taskId of [...this.held.keys()]) await this.release(taskId);
    await this.leases.freeMember(this.self);
    this.crash();
  }

  /** Ends without a word. */
  crash(): void {
    this.isRunning = false;
    this.held.clear();
  }

  private async release(taskId: TaskId): Promise<void> {
    const lease = this.held.get(taskId);
    this.held.delete(taskId);
    if (lease !== undefined)
      await this.leases.releaseLease({ taskId, owner: this.self, epoch: lease.epoch, offsets: null });
  }
}

function withListOffsets(log: Log, listOffsets: Log['listOffsets'] | undefined): Log {
  if (listOffsets === undefined) return log;
  return new Proxy(log, {
    get: (target, property) => (property === 'listOffsets' ? listOffsets : Reflect.get(target, property)),
  });
}

/** A port whose user dies before the write that it has no life left for. */
function mortal<T extends object>(port: T, writes: readonly string[], life: { writesLeft: number }): T {
  return new Proxy(port, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        if (writes.includes(String(property))) {
          life.writesLeft -= 1;
          if (life.writesLeft < 0) return Promise.reject(new UnavailableError(KILLED));
        }
        return Reflect.apply(member, target, args);
      };
    },
  });
}
