/**
 * The whole system in one process: log, tables, snapshots, scheduler, members and standbys, on the embedded adapters.
 *
 * This door only wires. Scheduler, members and standbys are the ones that run in functions; each member is one run of the task
 * function, started through the invoker, with its own claim, heartbeat and producer. A member that ends with an error is
 * reported to the scheduler at once, as a failure event would. What nobody caught ends all of it if the application's handler says so.
 */
import type { TaskAssignor } from '../assignment/task-assignor.js';
import type { ApplicationView } from '../cli/application-view.js';
import { type Inspection, openInspection } from '../cli/inspection.js';
import { type DrainReport, drainMember } from '../cli/reports/drain.js';
import { createMemoryInvoker, type InvocationFailure, type MemoryInvoker } from '../invoke/memory/memory-invoker.js';
import type { LeaseStore } from '../leases/lease-store.js';
import type { Incarnation, MemberId, Rest } from '../leases/records.js';
import type { Log } from '../log/log.js';
import type { Awaitable } from '../model/awaitable.js';
import { ApplicationAtRestError, asStreamsError, type StreamsError } from '../model/errors.js';
import { checkedMembers, type MembersRange, resolveSettings } from '../model/settings.js';
import { parseTaskId } from '../model/task-id.js';
import { type QueryAnswer, QueryService } from '../query/query-service.js';
import type { RuntimePorts } from '../runtime/ports.js';
import { runStandby } from '../runtime/run-standby.js';
import { createHeartbeatWatch } from '../scheduler/heartbeat-watch.js';
import { runScheduler } from '../scheduler/run-scheduler.js';
import { runTick, type TickInput, type TickOutcome, type TickOverrides } from '../scheduler/run-tick.js';
import type { StreamsApp } from '../topology/app.js';
import { appendRecords, type InputRecord, type InputSerdes } from './append-records.js';
import { asClient } from './as-client.js';
import { isCaughtUp } from './caught-up.js';
import { LocalProcesses, type LocalProcessesInit, type MemberProcesses } from './local-processes.js';
import { type LocalState, observeState } from './local-state.js';
import { type LocalStorage, openStorage } from './local-storage.js';
import { type LocalTopic, prepareTopics } from './prepare-topics.js';
import { quietHost } from './quiet-host.js';
import { type OutputRecord, readRecords } from './read-records.js';
import { StateWatch } from './state-watch.js';
import type { StateListener, StreamsState } from './streams-state.js';

export interface LocalStreamsOptions {
  readonly app: StreamsApp;
  /** Topics to create before the start if they are not there: an application's sources and sinks. */
  readonly topics?: readonly LocalTopic[];
  /**
   * Called once, when the topics are there and before any member runs: for what has to be in the log first, such as the rows of a global
   * table that the first record looks up. Of the system it may use `append`, `read` and `log`.
   */
  readonly beforeMembers?: (streams: LocalStreams) => Awaitable<void>;
  /** Folder that keeps log and snapshots over restarts; absent: memory. */
  readonly dir?: string | undefined;
  /** The log to run on, such as Kafka's; it is left open at the end. Default: the embedded one. */
  readonly log?: Log;
  /** Tables to run on, such as DynamoDB's: then members in processes of their own reach them too. Default: in this process's memory. */
  readonly leases?: LeaseStore;
  /** Default: this machine, logging warnings and errors to the standard error stream. */
  readonly host?: RuntimePorts['host'];
  /** The ports that one member gets: for delays, faults, a frozen process. Default: those of the system. */
  readonly portsOf?: (member: Incarnation, ports: RuntimePorts) => RuntimePorts;
  /** Tags that a member states to the assignor: `zone`, `capacity` and any of your own. Kafka: `client.rack`, `client.tag.…`. */
  readonly tagsOf?: (member: Incarnation) => Readonly<Record<string, string>>;
  /** Assignors of your own, found by the setting `assignor` before the built-in ones. */
  readonly assignors?: readonly TaskAssignor[];
  /** Told of each change of {@link LocalStreams.streamsState}; what it throws is logged. Kafka: `KafkaStreams.StateListener`. */
  readonly stateListener?: StateListener;
  /**
   * Path of a socket on which the command line may ask about the application while it runs (`millrace members --socket <path>`), for
   * the user alone who runs it. Absent: there is none, since the tables are in this process's memory.
   */
  readonly inspect?: string;
  /** Runs the members, in processes of their own for example. Default: in this process. */
  readonly processes?: (init: LocalProcessesInit) => MemberProcesses;
}

/** How long `close` waits for members to commit and hand back before it ends them as a crash would. */
const CLOSE_PATIENCE_MS = 10_000;

const CAUGHT_UP_POLL_MS = 20;

/** Kafka Streams' `KafkaStreams`, with its members, in one process. */
export class LocalStreams {
  readonly app: StreamsApp;
  /** The log: write input to it and read output from it. */
  readonly log: Log;
  /**
   * Resolves with the error that ended the scheduler, if one does: nothing new is placed after that. Or with the one for which the handler of
   * uncaught exceptions has shut all down: then the members are ending, and the log stays open for whoever wants to read it.
   */
  readonly failed: Promise<StreamsError>;

  private readonly ports: RuntimePorts;
  private readonly invoker: MemoryInvoker;
  private readonly storage: LocalStorage;
  private readonly options: LocalStreamsOptions;
  private readonly watch = createHeartbeatWatch();
  private readonly queries: QueryService;
  private readonly ending = new AbortController();
  private readonly processes: MemberProcesses;
  private readonly ticks = new Set<Promise<void>>();
  private readonly watched: StateWatch;
  private fail: (error: StreamsError) => void = () => {};
  private scheduler: Promise<unknown> = Promise.resolve();
  private wanted: number | MembersRange;
  private standbys: number | null = null;
  private inspection: Inspection | null = null;

  private constructor(options: LocalStreamsOptions, storage: LocalStorage) {
    const { host, log, snapshots, leases } = storage;
    this.options = options;
    this.storage = storage;
    this.watched = new StateWatch({
      leases,
      logger: host.logger,
      listener: options.stateListener,
      hearsTasks: options.processes === undefined,
    });
    this.app = asClient(this.watched.listeningTo(options.app));
    this.log = log;
    this.wanted = options.app.settings.members;
    this.failed = new Promise((resolve) => {
      this.fail = resolve;
    });
    this.invoker = createMemoryInvoker({ clock: host.clock, onFailure: (failure) => this.invocationFailed(failure) });
    this.ports = { log, leases, snapshots, invoker: this.invoker, host };
    this.queries = new QueryService({ app: this.app, ports: { log, snapshots, host } });
    const processes: LocalProcessesInit = {
      app: this.app,
      portsOf: (invokedFor) => options.portsOf?.(invokedFor, this.ports) ?? this.ports,
      tagsOf: options.tagsOf ?? (() => ({})),
      failed: (member) => this.report(member),
      shutDown: (error) => this.closeToError(error),
    };
    this.processes = options.processes?.(processes) ?? new LocalProcesses(processes);
    this.invoker.register('task', async (payload) => {
      if (this.ending.signal.aborted) return;
      if (payload.type === 'run-member') await this.processes.run(payload);
      else await this.tick({ reason: 'doorbell' });
    });
    this.invoker.register('standby', ({ taskIds }) =>
      runStandby({
        app: this.app,
        ports: this.ports,
        taskIds: taskIds.map((id) => parseTaskId(id).id),
        signal: this.ending.signal,
      }),
    );
    // Its own loop never ends: one tick more is all that anybody can ask for.
    this.invoker.register('scheduler', ({ reason }) => this.tick({ reason }));
  }

  /**
   * Starts the system: topics are created or checked, members invoked, tasks placed.
   *
   * @throws {MissingSourceTopicError} STREAMS_MISSING_SOURCE_TOPIC and the other errors of a first tick, before any record is
   *   processed · {PartitionCountChangedError} STREAMS_PARTITION_COUNT_CHANGED if one of `topics` is there with another count ·
   *   {InvalidFolderError} STREAMS_INVALID_FOLDER, also if another process uses the folder ·
   *   {CommandRefusedError} STREAMS_COMMAND_REFUSED if nothing can listen at `inspect`
   */
  static async start(options: LocalStreamsOptions): Promise<LocalStreams> {
    const storage = await openStorage({ ...options, host: options.host ?? quietHost() });
    const streams = new LocalStreams(options, storage);
    try {
      if (options.inspect !== undefined)
        streams.inspection = await openInspection(options.inspect, () => streams.view());
      await prepareTopics(storage.log, options.topics ?? []);
      await options.beforeMembers?.(streams);
      streams.watched.enter('REBALANCING');
      await streams.tick({ reason: 'start' });
    } catch (error) {
      await streams.close();
      throw error;
    }
    streams.scheduler = streams.schedule();
    return streams;
  }

  /** Where the application stands, as last seen; `RUNNING` and `REBALANCING` are looked at with each tick. Kafka: `KafkaStreams.state()`. */
  get streamsState(): StreamsState {
    return this.watched.current;
  }

  /** Members wanted, or the bounds between which the scheduler decides; how many those are now is in {@link state}. */
  get members(): number | MembersRange {
    return this.wanted;
  }

  /** Input records whose transaction was committed since the start, over all members. */
  get recordsProcessed(): number {
    return this.storage.metrics.total('records-processed');
  }

  /**
   * Changes the number of members, or lets the scheduler decide between bounds. Members that are wanted no more keep tasks with large stores until others
   * have copies that are caught up.
   *
   * @throws {InvalidSettingError} STREAMS_INVALID_SETTING unless it is a whole number from 1 to 1,000, or bounds of that kind
   */
  async setMembers(members: number | MembersRange): Promise<void> {
    checkedMembers(members); // first: what is not allowed must not be seen by the scheduler's own ticks
    const before = this.wanted;
    this.wanted = members;
    const inWords = typeof members === 'number' ? `${members}` : `${members.min} to ${members.max}`;
    try {
      await this.tick({ reason: `${inWords} members wanted` });
    } catch (error) {
      if (this.wanted === members) this.wanted = before; // unless somebody has changed it since
      throw error;
    }
  }

  /**
   * Changes how many standbys each task has, instead of the setting `numStandbyReplicas`; running tasks do not notice. Only hot standbys
   * come and go with it at once: of snapshots one serves any number. Kafka: a restart with another `num.standby.replicas`.
   *
   * @throws {InvalidSettingError} STREAMS_INVALID_SETTING unless it is a whole number from 0
   */
  async setStandbyReplicas(numStandbyReplicas: number): Promise<void> {
    resolveSettings({ ...this.app.settings, numStandbyReplicas });
    const before = this.standbys;
    this.standbys = numStandbyReplicas;
    try {
      await this.tick({ reason: `${numStandbyReplicas} standbys wanted` });
    } catch (error) {
      if (this.standbys === numStandbyReplicas) this.standbys = before;
      throw error;
    }
  }

  /** Ends a member as if its process had died. @returns false if it does not run */
  crash(memberId: string): boolean {
    return this.processes.crash(memberId as MemberId);
  }

  /**
   * Ends a member in order, with all that its process holds in memory, and has its slot run again at once, as a deployment of new code
   * does: its tasks stay with the slot, and no plan changes. Kafka: a restart with `group.instance.id` within `session.timeout.ms`.
   *
   * @returns when it has ended and its next incarnation was asked for; false if it does not run
   */
  async restart(memberId: string): Promise<boolean> {
    if (!(await this.processes.stop(memberId as MemberId))) return false;
    await this.tick({ reason: `${memberId} restarts` });
    return true;
  }

  /**
   * Has a member give away its tasks and end; its slot stays empty until that is taken back, and one member less is wanted meanwhile. As
   * `millrace drain` does.
   *
   * @param options `warmForMs` for how long its tasks stay with it until whoever gets them has copies that are caught up, in milliseconds;
   *   absent: they move at once · `cancel` takes the drain back
   * @returns what it held, when a plan is made without it
   * @throws {CommandRefusedError} STREAMS_COMMAND_REFUSED if there is no such member, or it is the last one
   */
  async drain(
    memberId: string,
    { warmForMs, cancel = false }: { readonly warmForMs?: number; readonly cancel?: boolean } = {},
  ): Promise<DrainReport> {
    const asked = { memberId: memberId as MemberId, cancel, warmForMs: warmForMs ?? null };
    const report = await drainMember(this.view(), asked);
    await this.tick({ reason: cancel ? `drain of ${memberId} is taken back` : `${memberId} is drained` });
    return report;
  }

  /** Members, tasks and the newest plan, as the tables have them. */
  async state(): Promise<LocalState> {
    return {
      ...(await observeState(this.ports.leases, this.processes.slots, this.wanted)),
      stateBytes: this.storage.metrics.total('state-bytes'),
    };
  }

  /** Whether all that is in the source topics now has been processed and committed, through every sub-topology. */
  isCaughtUp(): Promise<boolean> {
    return isCaughtUp(this.app, this.log);
  }

  /**
   * Waits until {@link isCaughtUp}.
   *
   * @throws {AbortedError} STREAMS_ABORTED when the signal fires first, with `AbortSignal.timeout` for example · the error that
   *   ended the scheduler, or for which all was shut down ({@link LocalStreams.failed})
   */
  async untilCaughtUp(signal?: AbortSignal): Promise<void> {
    const failed = this.failed.then((error) => {
      throw error;
    });
    while (!(await Promise.race([this.isCaughtUp(), failed]))) {
      await this.ports.host.clock.sleep(CAUGHT_UP_POLL_MS, signal);
    }
  }

  /**
   * Appends records to a topic, as an application that writes Millrace's input would: each goes to the partition of its key by the default
   * partitioner. Durable when it returns.
   *
   * @throws {UnknownTopicError} STREAMS_UNKNOWN_TOPIC · {SerializationError} STREAMS_SERIALIZATION_FAILED
   */
  async append<K, V>(topic: string, serdes: InputSerdes<K, V>, records: Iterable<InputRecord<K, V>>): Promise<void> {
    await appendRecords({ log: this.log, nowMs: this.ports.host.clock.now(), topic, serdes, records });
  }

  /**
   * Reads a topic, as a read-committed consumer would: all that is in it at the time of the call, partition after partition, each in
   * order of its offsets. Transactions that are open then are waited for. All of it is held in memory: for tests and small topics.
   *
   * @throws {UnknownTopicError} STREAMS_UNKNOWN_TOPIC · {UnavailableError} STREAMS_UNAVAILABLE if the log gives nothing for half a
   *   minute, as behind a transaction that stays open · what the serdes throw at bytes that are not theirs
   */
  read<K, V>(topic: string, serdes: InputSerdes<K, V>): Promise<readonly OutputRecord<K, V>[]> {
    return readRecords(this.log, topic, serdes);
  }

  /** The value of a key, fresh. @throws {QueryRefusedError} STREAMS_QUERY_REFUSED */
  query(store: string, key: unknown): Promise<QueryAnswer> {
    return this.queries.get(store, key);
  }

  /**
   * Drains the members, ends the scheduler and closes the log. A member whose user code does not come to an end within
   * 10 seconds is given up as if its process had died: what it has not committed is processed again. May be called twice.
   */
  async close(): Promise<void> {
    this.watched.enter('PENDING_SHUTDOWN');
    await this.endMembers();
    this.queries.close();
    await this.inspection?.close();
    if (this.options.log === undefined) await this.log.close();
    this.watched.enter('NOT_RUNNING');
  }

  private view(): ApplicationView {
    const { app, ports, log } = this;
    const nowMs = ports.host.clock.now();
    const { leases, snapshots, host } = ports;
    return {
      applicationId: app.applicationId,
      app,
      leases,
      log: async () => log,
      snapshots: () => snapshots,
      host,
      nowMs,
    };
  }

  /** Kafka: `closeToError`. */
  private closeToError(error: StreamsError): void {
    if (!this.watched.enter('PENDING_ERROR')) return;
    this.fail(error);
    void this.endMembers().then(() => this.watched.enter('ERROR'));
  }

  private async endMembers(): Promise<void> {
    this.ending.abort();
    this.processes.end();
    await this.scheduler;
    await Promise.all(this.ticks);
    const patience = new AbortController();
    const impatient = this.crashAfterPatience(patience.signal);
    await this.invoker.close();
    patience.abort();
    await impatient;
  }

  private async crashAfterPatience(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.ports.host;
    try {
      await clock.sleep(CLOSE_PATIENCE_MS, signal);
    } catch {
      return; // all have ended
    }
    for (const memberId of this.processes.slots) {
      logger.error('member-given-up', { memberId, waitedMs: CLOSE_PATIENCE_MS });
      this.processes.crash(memberId);
    }
  }

  private async schedule(): Promise<void> {
    try {
      await runScheduler({
        app: this.app,
        ports: this.ports,
        watch: this.watch,
        signal: this.ending.signal,
        whileMembers: false,
        overrides: () => this.overrides(),
        assignors: this.options.assignors ?? [],
        onTick: (outcome) => this.ticked(outcome),
      });
    } catch (error) {
      this.fail(asStreamsError(error));
    }
  }

  private async tick(why: Pick<TickInput, 'reason' | 'failed'>): Promise<void> {
    const { app, ports, watch } = this;
    const outcome = await runTick({
      app,
      ports,
      watch,
      overrides: this.overrides(),
      assignors: this.options.assignors ?? [],
      ...why,
    });
    this.ticked(outcome);
  }

  private overrides(): TickOverrides {
    return { members: this.wanted, ...(this.standbys === null ? {} : { numStandbyReplicas: this.standbys }) };
  }

  private ticked({ rest }: TickOutcome): void {
    if (rest === null) void this.watched.look();
    else this.closeToError(atRest(rest));
  }

  private invocationFailed({ target, error }: InvocationFailure): void {
    const { code, message } = asStreamsError(error);
    this.ports.host.logger.error('invocation-failed', { target, code, message });
  }

  /** What a failure event does: the scheduler hears of the end at once. */
  private report({ memberId, incarnation }: Incarnation): void {
    if (this.ending.signal.aborted) return;
    const tick = this.tick({ reason: `${memberId} failed`, failed: [{ memberId, incarnation }] })
      .catch((error) => this.ports.host.logger.warn('tick-failed', { error }))
      .finally(() => this.ticks.delete(tick));
    this.ticks.add(tick);
  }
}

function atRest(rest: Rest): ApplicationAtRestError {
  const of = rest.taskId === null ? rest.memberId : `task ${rest.taskId} of ${rest.memberId}`;
  return new ApplicationAtRestError(`the application was shut down for an error of ${of}: ${rest.message}`, {
    details: { ...rest },
  });
}
