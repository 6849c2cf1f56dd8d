/**
 * The ports of one simulated process: the cloud's, with latency, faults before and after each effect, and death on top.
 *
 *   S1  every call is one step: it takes effect at once and whole, at a moment of virtual time, or not at all
 *   S2  whatever takes effect is told to `effects`, whether or not the caller ever hears of it
 *   S3  a producer that has failed is dead to its user (L5 of log.ts); who uses it again has broken a rule
 */
import type { Log, TransactionalProducer } from '../../log/log.js';
import { isPromise } from '../../model/awaitable.js';
import { AbortedError } from '../../model/errors.js';
import { mortalPorts } from '../../runtime/mortal-ports.js';
import type { RuntimePorts } from '../../runtime/ports.js';
import { wrapMethods } from '../../runtime/wrap-methods.js';
import type { Chance } from './chance.js';
import type { SimulatedProcess } from './simulated-process.js';

/** `outside`: a service of user code's own, as `simulate` hands it to an execution environment. */
export type PortName = 'log' | 'producer' | 'leases' | 'snapshots' | 'invoker' | 'outside';

/** A call that a process makes. */
export interface PortCall {
  readonly process: SimulatedProcess;
  readonly port: PortName;
  readonly method: string;
  readonly args: readonly unknown[];
  /** Virtual milliseconds at which the process made it; it takes effect then or later. */
  readonly sentAtMs: number;
  /** Whether it only reads: nothing is unknown when it fails. */
  readonly reads: boolean;
  /** Of the producer that is called; null for other ports. */
  readonly producer: ProducerTag | null;
  /** Whether it has taken longer to arrive than a commit. Absent: no. */
  readonly isSlow?: boolean;
}

export interface ProducerTag {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly epoch: number;
}

/** What a call came to in the outside world. */
export type Effect = PortCall &
  ({ readonly ok: true; readonly answer: unknown } | { readonly ok: false; readonly error: unknown });

// Written out: thousands of calls a run, and a spread of each costs as much as the call.

function answered(call: PortCall, answer: unknown): Effect {
  const { process, port, method, args, sentAtMs, reads, producer } = call;
  return { process, port, method, args, sentAtMs, reads, producer, ok: true, answer };
}

function failed(call: PortCall, error: unknown): Effect {
  const { process, port, method, args, sentAtMs, reads, producer } = call;
  return { process, port, method, args, sentAtMs, reads, producer, ok: false, error };
}

export interface CallHooks {
  /** Undefined: nothing to wait for. */
  before(call: PortCall): Promise<void> | undefined;
  /** Undefined: nothing to wait for. */
  after(call: PortCall, answer: unknown): Promise<void> | undefined;
  /** What the process hears. */
  answer(call: PortCall, answer: unknown): unknown;
  /** Told at the moment of the effect (S2). */
  effects(effect: Effect): void;
  /** A rule of the ports was broken by the engine. */
  broken(rule: string): void;
}

const READS = /^(fetch|list|describe|read|committedOffsets|isOurs)/;
/** Latency of a call, in milliseconds: most take none, some a little, few much. */
const LATENCIES: readonly (readonly [share: number, mostMs: number])[] = [
  [0.6, 0],
  [0.35, 4],
  [0.05, 40],
];

export interface SimulatedPortsOptions {
  readonly cloud: Omit<RuntimePorts, 'host'>;
  /** The process's own host: its clock shows its skewed time. */
  readonly host: RuntimePorts['host'];
  readonly process: SimulatedProcess;
  readonly chance: Chance;
  readonly hooks: CallHooks;
}

/** Makes the ports as the process has them. */
export function simulatedPorts(options: SimulatedPortsOptions): RuntimePorts {
  return mortalPorts(new SimulatedPorts(options).ports, options.process.deathSignal);
}

class SimulatedPorts {
  readonly ports: RuntimePorts;
  private readonly process: SimulatedProcess;
  private readonly clock: RuntimePorts['host']['clock'];
  private readonly chance: Chance;
  private readonly hooks: CallHooks;

  constructor({ cloud, host, process, chance, hooks }: SimulatedPortsOptions) {
    this.process = process;
    this.clock = host.clock;
    this.chance = chance;
    this.hooks = hooks;
    const { clock } = this;
    const sleep = async (ms: number, signal?: AbortSignal) => {
      if (process.isFrozen) await process.thawed();
      await clock.sleep(ms, signal);
      if (process.isFrozen) await process.thawed();
    };
    this.ports = {
      log: this.log(cloud.log),
      leases: this.wrap(cloud.leases, 'leases', null),
      snapshots: this.wrap(cloud.snapshots, 'snapshots', null),
      invoker: this.wrap(cloud.invoker, 'invoker', null),
      host: { ...host, clock: { now: () => clock.now() + process.skewMs, monotonic: () => clock.monotonic(), sleep } },
    };
  }

  private log(log: Log): Log {
    const inner = this.wrap(log, 'log', null);
    const initProducer: Log['initProducer'] = async (options) =>
      this.producer(await inner.initProducer(options), options.transactionalId);
    return new Proxy(inner, {
      get: (target, property) => (property === 'initProducer' ? initProducer : Reflect.get(target, property)),
    });
  }

  private producer(producer: TransactionalProducer, transactionalId: string): TransactionalProducer {
    const { producerId, epoch } = producer;
    const wrapped = this.wrap(producer, 'producer', { transactionalId, producerId, epoch });
    let hasFailed = false;
    return new Proxy(wrapped, {
      get: (target, property) => {
        const member: unknown = Reflect.get(target, property);
        if (typeof member !== 'function' || property === 'close') return member;
        return async (...args: unknown[]) => {
          if (hasFailed) this.hooks.broken(`${String(property)} of a producer of ${transactionalId} that has failed`);
          try {
            return await member(...args);
          } catch (error) {
            hasFailed = true;
            throw error;
          }
        };
      },
    });
  }

  private wrap<T extends object>(port: T, name: PortName, producer: ProducerTag | null): T {
    return wrapMethods(port, (member, method) => {
      const reads = READS.test(method);
      const effect = (args: readonly unknown[]) => Reflect.apply(member, port, args) as Promise<unknown>;
      const { process, clock } = this;
      return (...args) =>
        this.call({ process, port: name, method, args, sentAtMs: clock.monotonic(), reads, producer }, effect);
    });
  }

  private async call(call: PortCall, effect: (args: readonly unknown[]) => Promise<unknown>): Promise<unknown> {
    const { process, hooks } = this;
    // Thousands of calls a run: nothing is awaited that need not be.
    if (process.isFrozen) await process.thawed();
    const sendMs = this.latencyMs();
    if (sendMs > 0) await this.clock.sleep(sendMs);
    const waiting = hooks.before(call);
    if (waiting !== undefined) await waiting;
    if (process.isFrozen) await process.thawed();
    if (process.isDead) throw new AbortedError(`${process.name} died before it had sent ${call.method}`);
    let effected: unknown;
    try {
      effected = await effect(call.args);
    } catch (error) {
      hooks.effects(failed(call, error));
      throw error;
    }
    hooks.effects(answered(call, effected));
    const holding = hooks.after(call, effected);
    if (holding !== undefined) await holding;
    const heard = hooks.answer(call, effected);
    const answer = isPromise(heard) ? await heard : heard;
    const answerMs = this.latencyMs();
    if (answerMs > 0) await this.clock.sleep(answerMs);
    if (process.isFrozen) await process.thawed();
    return answer;
  }

  private latencyMs(): number {
    let left = this.chance.next();
    for (const [share, mostMs] of LATENCIES) {
      left -= share;
      if (left < 0) return mostMs > 0 ? this.chance.next() * mostMs : 0;
    }
    return 0;
  }
}
