/**
 * Ports of one process around which everything can go wrong: a call comes late, fails before or after it took effect, the whole
 * process stands still for a while, or dies.
 *
 * A producer that has failed once is dead for its user (L5 of log.ts); whoever uses it again is caught.
 */

import type { Log, TransactionalProducer } from '../../../lib/log/log.js';
import { UnavailableError, UnknownOutcomeError } from '../../../lib/model/errors.js';
import type { RuntimePorts } from '../../../lib/runtime/ports.js';

/** Chances per call, 0 to 1, and how long things take, in milliseconds. */
export interface FaultRates {
  readonly delay: number;
  readonly delayMostMs: number;
  readonly failBefore: number;
  readonly failAfter: number;
  readonly freeze: number;
  readonly freezeMostMs: number;
  readonly crash: number;
}

export interface FaultyProcess {
  readonly random: () => number;
  /** Null: nothing goes wrong any more. */
  readonly rates: () => FaultRates | null;
  /** The process dies now. */
  readonly die: () => void;
  /** A rule of the ports was broken by the engine. */
  readonly broken: (rule: string) => void;
}

/** Calls that only read: nothing is unknown when they fail. */
const READS = /^(fetch|list|describe|read|committedOffsets|isOurs)/;

export function faultyPorts(ports: RuntimePorts, process: FaultyProcess): RuntimePorts {
  return new FaultyPorts(ports, process).ports;
}

class FaultyPorts {
  readonly ports: RuntimePorts;
  private readonly process: FaultyProcess;
  private readonly clock: RuntimePorts['host']['clock'];
  private frozenUntil: Promise<void> | null = null;

  constructor(ports: RuntimePorts, process: FaultyProcess) {
    this.process = process;
    this.clock = ports.host.clock;
    const { clock } = this;
    const sleep = async (ms: number, signal?: AbortSignal) => {
      await this.frozenUntil;
      await clock.sleep(ms, signal);
      await this.frozenUntil;
    };
    this.ports = {
      log: this.faultyLog(ports.log),
      leases: this.faulty(ports.leases, 'leases'),
      snapshots: this.faulty(ports.snapshots, 'snapshots'),
      invoker: this.faulty(ports.invoker, 'invoker'),
      host: { ...ports.host, clock: { now: () => clock.now(), monotonic: () => clock.monotonic(), sleep } },
    };
  }

  private faultyLog(log: Log): Log {
    const inner = this.faulty(log, 'log');
    const initProducer: Log['initProducer'] = async (options) => this.faultyProducer(await inner.initProducer(options));
    return new Proxy(inner, {
      get: (target, property) => (property === 'initProducer' ? initProducer : Reflect.get(target, property)),
    });
  }

  private faultyProducer(producer: TransactionalProducer): TransactionalProducer {
    let hasFailed = false;
    const faulty = this.faulty(producer, 'producer');
    return new Proxy(faulty, {
      get: (target, property) => {
        const member: unknown = Reflect.get(target, property);
        if (typeof member !== 'function' || property === 'close') return member;
        return async (...args: unknown[]) => {
          if (hasFailed) this.process.broken(`${String(property)} of a producer that has failed`);
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

  private faulty<T extends object>(port: T, name: string): T {
    return new Proxy(port, {
      get: (target, property) => {
        const member: unknown = Reflect.get(target, property);
        if (typeof member !== 'function') return member;
        const call = (args: readonly unknown[]) => Reflect.apply(member, target, args) as Promise<unknown>;
        return (...args: unknown[]) => this.call(`${name}.${String(property)}`, () => call(args));
      },
    });
  }

  private async call(name: string, call: () => Promise<unknown>): Promise<unknown> {
    await this.frozenUntil;
    await this.trouble(name, 'before');
    const answer = await call();
    await this.trouble(name, 'after');
    await this.frozenUntil;
    return answer;
  }

  private async trouble(name: string, when: 'before' | 'after'): Promise<void> {
    const { random } = this.process;
    const rates = this.process.rates();
    if (rates === null) return;
    if (random() < rates.delay) await this.clock.sleep(random() * rates.delayMostMs);
    if (random() < rates.crash) this.process.die();
    if (random() < rates.freeze) this.freeze(random() * rates.freezeMostMs);
    await this.frozenUntil;
    if (random() >= (when === 'before' ? rates.failBefore : rates.failAfter)) return;
    const method = name.slice(name.indexOf('.') + 1);
    const isUnknown = !READS.test(method) && (name.startsWith('producer') || name === 'log.append');
    const what = `${name} failed ${when} its effect`;
    throw isUnknown ? new UnknownOutcomeError(what) : new UnavailableError(what);
  }

  private freeze(ms: number): void {
    if (this.frozenUntil !== null) return;
    const until = this.clock.sleep(ms).then(() => {
      if (this.frozenUntil === until) this.frozenUntil = null;
    });
    this.frozenUntil = until;
  }
}
