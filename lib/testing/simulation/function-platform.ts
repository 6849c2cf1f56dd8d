/**
 * AWS Lambda in virtual time: the four functions with the handlers that users deploy, in execution environments that are used
 * again, killed at their time-out, and whose failures go to a destination that the scheduler hears of.
 *
 *   F1  an environment runs one invocation at a time; it is used again unless it died
 *   F2  an invocation that is over its time is killed with its environment, at whatever call it is in
 *   F3  an asynchronous invocation of the task function that fails is reported to the scheduler, as `destinations.onFailure`
 *       and a queue would; no invocation is tried again (`maximumRetryAttempts` 0)
 *   F4  an event that was accepted longer ago than `maximumEventAge` is not delivered
 */
import type { Invoker } from '../../invoke/invoker.js';
import type { LambdaContext } from '../../lambda/lambda-context.js';
import { UnavailableError } from '../../model/errors.js';
import { untilDeath } from '../../runtime/mortal-ports.js';
import type { Chance } from './chance.js';
import { type SimulatedFunction, SimulatedProcess } from './simulated-process.js';
import type { Timeline } from './timeline.js';
import type { VirtualTime } from './virtual-time.js';

/** An accepted invocation. */
export interface Invocation {
  /** Counts from 0 over all functions. */
  readonly ordinal: number;
  readonly requestId: string;
  readonly target: SimulatedFunction;
  readonly event: unknown;
  readonly acceptedAtMs: number;
}

/** One time that an invocation reaches the function. */
export interface Delivery {
  readonly afterMs: number;
}

export type SimulatedHandler = (event: unknown, context: LambdaContext) => Promise<unknown>;

/** Milliseconds that an invocation may take, as serverless.yml has them. */
export interface FunctionTimeouts {
  readonly scheduler: number;
  readonly task: number;
  readonly standby: number;
  readonly query: number;
}

export interface FunctionPlatformOptions {
  readonly time: VirtualTime;
  readonly timeline: Timeline;
  readonly chance: Chance;
  readonly timeouts: FunctionTimeouts;
  /** Makes the handler of a new execution environment. */
  readonly createHandler: (process: SimulatedProcess) => SimulatedHandler;
  readonly hooks: {
    delivery(invocation: Invocation): readonly Delivery[] | undefined;
    environment(process: SimulatedProcess): void;
    timeoutMs(invocation: Invocation): number | undefined;
  };
}

interface Environment {
  readonly process: SimulatedProcess;
  readonly handle: SimulatedHandler;
  /** Of the function's code and configuration. */
  readonly version: number;
}

/** What an invocation came to. */
type Ending = { readonly ok: true; readonly answer: unknown } | { readonly ok: false; readonly condition: string };

const MAXIMUM_EVENT_AGE_MS = 60_000;
const DELIVERY_MOST_MS = 50;
const FAILURE_EVENT_MOST_MS = 500;
/** Chance that an idle environment has been taken away when the next invocation comes. */
const TAKEN_AWAY = 0.15;

export class FunctionPlatform {
  private readonly options: FunctionPlatformOptions;
  private readonly idle = new Map<SimulatedFunction, Environment[]>();
  private readonly busy = new Set<SimulatedProcess>();
  private readonly background = new Set<Promise<void>>();
  private readonly versions = new Map<SimulatedFunction, number>();
  private invocations = 0;
  private environments = 0;
  private isClosed = false;

  constructor(options: FunctionPlatformOptions) {
    this.options = options;
  }

  /** Processes that run an invocation now. */
  get running(): readonly SimulatedProcess[] {
    return [...this.busy];
  }

  /** The invoker port, without faults of the call itself. */
  readonly invoker: Invoker = {
    invoke: async (target, payload) => {
      if (this.isClosed)
        throw new UnavailableError('the platform accepts no more invocations', { details: { target } });
      this.accept(target, JSON.parse(JSON.stringify(payload)));
    },
  };

  /** Takes an asynchronous invocation on. */
  accept(target: SimulatedFunction, event: unknown): void {
    if (this.isClosed) return;
    const { timeline, chance, hooks } = this.options;
    const invocation = this.invocation(target, event);
    const deliveries = hooks.delivery(invocation) ?? [{ afterMs: chance.next() * DELIVERY_MOST_MS }];
    timeline.add('platform', 'invocation-accepted', { requestId: invocation.requestId, target, event, deliveries });
    for (const { afterMs } of deliveries) this.inBackground(this.deliver(invocation, afterMs));
    if (deliveries.length === 0) timeline.add('platform', 'invocation-lost', { requestId: invocation.requestId });
  }

  /** Invokes a function and waits for its answer. @throws {UnavailableError} STREAMS_UNAVAILABLE if it failed */
  async request(target: SimulatedFunction, event: unknown): Promise<unknown> {
    const ending = await this.run(this.invocation(target, event));
    if (ending.ok) return ending.answer;
    throw new UnavailableError(`${target} failed: ${ending.condition}`);
  }

  /** Gives a function a new version: environments of the old one take no further invocation. */
  redeploy(target: SimulatedFunction): void {
    this.versions.set(target, this.versionOf(target) + 1);
    this.idle.delete(target);
  }

  /** Takes nothing on any more; resolves when nothing runs: every invocation has a time-out. */
  async close(): Promise<void> {
    this.isClosed = true;
    while (this.background.size > 0) await Promise.all(this.background);
  }

  private invocation(target: SimulatedFunction, event: unknown): Invocation {
    const ordinal = this.invocations;
    this.invocations += 1;
    return { ordinal, requestId: `request-${ordinal}`, target, event, acceptedAtMs: this.options.time.nowMs };
  }

  private async deliver(invocation: Invocation, afterMs: number): Promise<void> {
    const { time, timeline } = this.options;
    await time.clock.sleep(afterMs);
    const ageMs = time.nowMs - invocation.acceptedAtMs;
    const ending: Ending =
      ageMs > MAXIMUM_EVENT_AGE_MS ? { ok: false, condition: 'EventAgeExceeded' } : await this.run(invocation);
    if (ending.ok || invocation.target !== 'task') return;
    timeline.add('platform', 'failure-reported', { requestId: invocation.requestId, condition: ending.condition });
    await time.clock.sleep(this.options.chance.next() * FAILURE_EVENT_MOST_MS);
    this.accept('scheduler', failureEvent(invocation, ending.condition));
  }

  private async run(invocation: Invocation): Promise<Ending> {
    const { time, timeline, timeouts, hooks } = this.options;
    const { target, requestId, event } = invocation;
    const environment = this.environmentOf(target);
    const { process } = environment;
    const timeoutMs = hooks.timeoutMs(invocation) ?? timeouts[target];
    const endMs = time.nowMs + timeoutMs;
    this.busy.add(process);
    timeline.add(process.name, 'invocation-started', { requestId, timeoutMs });
    const over = new AbortController();
    const timeout = time.clock.sleep(timeoutMs, over.signal).then(
      () => process.kill('timed out'),
      () => undefined,
    );
    const context: LambdaContext = {
      awsRequestId: requestId,
      functionName: target,
      getRemainingTimeInMillis: () => Math.max(0, endMs - time.nowMs),
    };
    try {
      const answer = await untilDeath(process.deathSignal, environment.handle(event, context));
      timeline.add(process.name, 'invocation-ended', { requestId });
      return { ok: true, answer };
    } catch (error) {
      const cause = process.causeOfDeath ?? String(error);
      timeline.add(process.name, 'invocation-failed', { requestId, cause });
      return { ok: false, condition: 'RetriesExhausted' };
    } finally {
      over.abort('over');
      await timeout;
      this.busy.delete(process);
      if (!process.isDead && environment.version === this.versionOf(target)) this.idle.get(target)?.push(environment);
    }
  }

  private environmentOf(target: SimulatedFunction): Environment {
    const { time, chance, createHandler, hooks } = this.options;
    const idle = this.idle.get(target) ?? [];
    this.idle.set(target, idle);
    const warm = idle.pop();
    if (warm !== undefined && !chance.happens(TAKEN_AWAY)) return warm;
    const process = new SimulatedProcess(`${target}#${this.environments}`, target, time);
    this.environments += 1;
    hooks.environment(process);
    return { process, handle: createHandler(process), version: this.versionOf(target) };
  }

  private versionOf(target: SimulatedFunction): number {
    return this.versions.get(target) ?? 0;
  }

  private inBackground(work: Promise<void>): void {
    const tracked = work.finally(() => this.background.delete(tracked));
    this.background.add(tracked);
  }
}

/** Lambda's record of a failed asynchronous invocation, as a queue hands it to the scheduler. */
function failureEvent({ requestId }: Invocation, condition: string): unknown {
  const body = JSON.stringify({ requestContext: { requestId, condition, approximateInvokeCount: 1 } });
  return { Records: [{ messageId: `message-of-${requestId}`, body }] };
}
