/** The world that the processes of one run share: log, tables, objects, functions, time; and whatever goes wrong in it. */
import type { Host } from '../../host/host.js';
import { createNodeHost } from '../../host/node/node-host.js';
import { createMemoryLeaseStore, type MemoryLeaseStore } from '../../leases/memory/memory-lease-store.js';
import { createMemoryLog, type MemoryLog } from '../../log/memory/memory-log.js';
import { RecordSetBuilder } from '../../model/record-set-builder.js';
import { createMemorySnapshotStore } from '../../snapshots/memory/memory-snapshot-store.js';
import type { SnapshotStore } from '../../snapshots/snapshot-store.js';
import type { StreamsApp } from '../../topology/app.js';
import { type Chance, createChance } from './chance.js';
import { EventSourceMapping } from './event-source-mapping.js';
import type { ActiveFault } from './faults/active-fault.js';
import { FunctionPlatform } from './function-platform.js';
import { createHandler } from './handlers.js';
import { Harms } from './harms.js';
import type { Scenario, ScenarioInput } from './scenario.js';
import type { Effect, PortCall } from './simulated-ports.js';
import type { SimulatedProcess } from './simulated-process.js';
import type { Subject } from './subject.js';
import { Timeline } from './timeline.js';
import { VirtualTime } from './virtual-time.js';

/** As serverless.yml has them; the scenario says how long a task function may run. */
const SCHEDULER_TIMEOUT_MS = 75_000;
const STANDBY_TIMEOUT_MS = 20_000;
const QUERY_TIMEOUT_MS = 10_000;
/**
 * A broker that keeps committed offsets for a shorter time than this would lose those of a task whose member dies and whose
 * next one comes only with the second schedule from then on.
 */
const OFFSETS_RETENTION_LEAST_MS = 180_000;
/** EventBridge: `rate(1 minute)`. */
export const SCHEDULE_INTERVAL_MS = 60_000;
/** Virtual milliseconds between two attempts of `tryUntilCalm`. */
const TRY_INTERVAL_MS = 200;
/** EventBridge's event, as far as the scheduler reads it. */
const SCHEDULE_EVENT = { source: 'aws.events' };

export interface CloudOptions {
  readonly scenario: Scenario;
  /** With the scenario's settings. */
  readonly app: StreamsApp;
  /** Makes that of a new execution environment, with the scenario's settings. Absent: all share `app`. */
  readonly createApp?: Subject['createApp'];
  /** Source and sink topics with their partitions, names on the broker. */
  readonly topics: Readonly<Record<string, number>>;
}

interface EffectListener {
  readonly hear: (effect: Effect) => void;
  /** Names of the methods that it hears of; null: all. */
  readonly methods: readonly string[] | null;
}

interface CloudParts extends CloudOptions {
  readonly time: VirtualTime;
  readonly timeline: Timeline;
  readonly host: Host;
  readonly log: MemoryLog;
}

export class Cloud {
  readonly time: VirtualTime;
  readonly timeline: Timeline;
  readonly scenario: Scenario;
  readonly app: StreamsApp;
  /** The cloud's own: the true time. */
  readonly host: Host;
  readonly log: MemoryLog;
  readonly leases: MemoryLeaseStore = createMemoryLeaseStore();
  readonly snapshots: SnapshotStore;
  readonly platform: FunctionPlatform;
  /** Rules of the ports that the engines have broken, and what failed in the background of the cloud. */
  readonly broken: string[] = [];
  /** Input that was appended so far, in order. */
  readonly inputs: ScenarioInput[] = [];
  private readonly offsets = new Map<ScenarioInput, number>();
  /** What faults have damaged beyond what the product can make good. */
  readonly harms: Harms;
  private readonly mapping = new EventSourceMapping({
    after: (ms) => this.until(this.time.nowMs + ms),
    accept: (event) => this.platform.accept('task', event),
    inBackground: (work) => this.inBackground(work),
  });
  private faults: readonly ActiveFault[] = [];
  private readonly effectListeners: EffectListener[] = [];
  /** Those that hear of a method, by its name: made when it is first called. */
  private readonly listenersOf = new Map<string, readonly EffectListener[]>();
  private readonly background = new Set<Promise<void>>();
  private readonly ending = new AbortController();
  private wantedMembers: number;
  private readonly createApp: NonNullable<Subject['createApp']>;

  private constructor({ scenario, app, createApp, time, timeline, host, log }: CloudParts) {
    this.scenario = scenario;
    this.app = app;
    this.createApp = createApp ?? (() => app);
    this.time = time;
    this.timeline = timeline;
    this.host = host;
    this.log = log;
    this.snapshots = createMemorySnapshotStore({ clock: host.clock });
    this.wantedMembers = scenario.members;
    this.harms = new Harms(app, timeline);
    this.platform = new FunctionPlatform({
      time,
      timeline,
      chance: this.chance('platform'),
      timeouts: {
        scheduler: SCHEDULER_TIMEOUT_MS,
        task: scenario.taskTimeoutMs,
        standby: STANDBY_TIMEOUT_MS,
        query: QUERY_TIMEOUT_MS,
      },
      createHandler: (process) => createHandler(this, process),
      hooks: {
        delivery: (invocation) => this.first((fault) => fault.delivery?.(invocation)),
        environment: (process) => {
          for (const fault of this.faults) fault.environment?.(process);
        },
        timeoutMs: (invocation) => this.first((fault) => fault.timeoutMs?.(invocation)),
      },
    });
  }

  static async create(options: CloudOptions): Promise<Cloud> {
    const time = new VirtualTime();
    const timeline = new Timeline(() => time.nowMs);
    const { next, id } = createChance(options.scenario.seed, 'cloud');
    const random = { next, id };
    const host = { ...createNodeHost({ logger: timeline.logger('cloud'), random, threads: false }), clock: time.clock };
    const offsetsRetentionMs = Math.max(options.app.settings.offsetsRetentionMs, OFFSETS_RETENTION_LEAST_MS);
    const log = await createMemoryLog({ host, defaults: { offsetsRetentionMs } });
    for (const [name, partitions] of Object.entries(options.topics))
      await log.createTopic({ name, partitions, config: {} });
    return new Cloud({ ...options, time, timeline, host, log });
  }

  /** Members that the scheduler function is told to want, or at most where it decides. */
  get members(): number {
    return this.wantedMembers;
  }

  /** The setting `members` of its functions, as text. */
  get membersSetting(): string {
    return this.scenario.elastic === true ? `0..${this.wantedMembers}` : `${this.wantedMembers}`;
  }

  /** The application of a new execution environment. */
  appOf(process: SimulatedProcess): StreamsApp {
    return this.createApp(process, this);
  }

  /** Changes the setting and deploys the scheduler function again. */
  setMembers(members: number): void {
    this.wantedMembers = members;
    this.platform.redeploy('scheduler');
  }

  /** Appends a record to a source topic now. */
  async append(input: ScenarioInput): Promise<void> {
    const { topic, partition, key, value, timestampMs } = input;
    const records = new RecordSetBuilder();
    records.append(key, value, timestampMs);
    this.inputs.push(input);
    const offset = await this.log.append({ topic, partition }, records.build());
    this.offsets.set(input, offset);
    this.timeline.add('world', 'input', { topic, partition, offset });
    if (this.scenario.doorbells === true) this.mapping.note({ topic, partition, offset });
  }

  /** Offset at which an input was appended; undefined if it was not. */
  offsetOf(input: ScenarioInput): number | undefined {
    return this.offsets.get(input);
  }

  /** A stream of chance of this run. */
  chance(name: string): Chance {
    return createChance(this.scenario.seed, name);
  }

  /** Lets the schedule and the faults begin. */
  start(faults: readonly ActiveFault[]): void {
    this.faults = faults;
    this.inBackground(this.schedule());
    for (const fault of faults) fault.begin?.();
  }

  /** From here on nothing goes wrong any more. */
  calm(): void {
    for (const fault of this.faults) fault.calm?.();
    this.faults = [];
  }

  /** Whether faults may still happen. */
  get isCalm(): boolean {
    return this.time.nowMs >= this.scenario.calmAtMs;
  }

  /** Invokes the scheduler as its schedule does. */
  tick(): void {
    this.platform.accept('scheduler', SCHEDULE_EVENT);
  }

  /** Ends the schedule, waits for every invocation to end, and answers when nothing runs. */
  async end(): Promise<void> {
    this.ending.abort();
    await this.platform.close();
    while (this.background.size > 0) await Promise.all(this.background);
  }

  /** Hears of each effect on the outside, at its moment, or only of those of methods of these names: calls are many. */
  listen(hear: (effect: Effect) => void, methods: readonly string[] | null = null): void {
    this.effectListeners.push({ hear, methods });
    this.listenersOf.clear();
  }

  effect(effect: Effect): void {
    for (const { hear } of this.listeners(effect.method)) hear(effect);
  }

  private listeners(method: string): readonly EffectListener[] {
    const known = this.listenersOf.get(method);
    if (known !== undefined) return known;
    const made = this.effectListeners.filter(({ methods }) => methods === null || methods.includes(method));
    this.listenersOf.set(method, made);
    return made;
  }

  /** Undefined: no fault has it wait. */
  before(call: PortCall): Promise<void> | undefined {
    return inTurn(this.faults, (fault) => fault.before?.(call));
  }

  /** Undefined: no fault has it wait. */
  after(call: PortCall, answer: unknown): Promise<void> | undefined {
    return inTurn(this.faults, (fault) => fault.after?.(call, answer));
  }

  /** What the process hears. */
  answer(call: PortCall, answer: unknown): unknown {
    return this.first((fault) => fault.answer?.(call, answer)) ?? answer;
  }

  /** Resolves at a moment of virtual time, in milliseconds since the run began; false if the cloud ends before. */
  async until(atMs: number): Promise<boolean> {
    try {
      await this.time.clock.sleep(Math.max(0, atMs - this.time.nowMs), this.ending.signal);
      return true;
    } catch {
      return false;
    }
  }

  /** Tries something from a moment on, now and then, until it answers true or nothing is to go wrong any more. */
  async tryUntilCalm(atMs: number, attempt: () => Promise<boolean>): Promise<void> {
    for (let nextMs = atMs; await this.until(nextMs); nextMs = this.time.nowMs + TRY_INTERVAL_MS)
      if (this.isCalm || (await attempt())) return;
  }

  /** Work of the cloud itself; what it throws is a rule broken. */
  inBackground(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        this.broken.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      })
      .finally(() => this.background.delete(tracked));
    this.background.add(tracked);
  }

  private async schedule(): Promise<void> {
    for (let atMs = 0; await this.until(atMs); atMs += SCHEDULE_INTERVAL_MS) this.tick();
  }

  private first<T>(ask: (fault: ActiveFault) => T | undefined): T | undefined {
    for (const fault of this.faults) {
      const answer = ask(fault);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }
}

/** Asks one fault after the other, the next when the last has waited. Undefined: none waits, and no promise is made of it: calls are many. */
function inTurn(
  faults: readonly ActiveFault[],
  ask: (fault: ActiveFault) => Promise<void> | undefined,
): Promise<void> | undefined {
  for (const [index, fault] of faults.entries()) {
    const waiting = ask(fault);
    if (waiting !== undefined) return waiting.then(() => inTurn(faults.slice(index + 1), ask));
  }
  return undefined;
}
