/**
 * Ports of a process that can be stopped and continued, as by SIGSTOP and SIGCONT: while it is frozen no call it makes
 * reaches the outside, none it waits for comes back, and its clock goes on without it.
 */
import type { Log, TransactionalProducer } from '../../lib/log/log.js';
import type { RuntimePorts } from '../../lib/runtime/ports.js';

export class FreezablePorts {
  readonly ports: RuntimePorts;
  /** Freezes the process at its next commit, after the records were sent and before the end of the transaction. */
  freezeAtNextCommit = false;
  private gate: Promise<void> | null = null;
  private open: () => void = () => {};

  constructor(ports: RuntimePorts) {
    const { clock } = ports.host;
    const sleep = (ms: number, signal?: AbortSignal) => this.pass(() => clock.sleep(ms, signal));
    this.ports = {
      log: this.gatedLog(ports.log),
      leases: this.gated(ports.leases),
      snapshots: this.gated(ports.snapshots),
      invoker: this.gated(ports.invoker),
      host: { ...ports.host, clock: { now: () => clock.now(), monotonic: () => clock.monotonic(), sleep } },
    };
  }

  get isFrozen(): boolean {
    return this.gate !== null;
  }

  freeze(): void {
    this.gate ??= new Promise((resolve) => {
      this.open = resolve;
    });
  }

  thaw(): void {
    this.gate = null;
    this.open();
  }

  private gatedLog(log: Log): Log {
    const gated = this.gated(log);
    const initProducer: Log['initProducer'] = async (options) => this.gatedProducer(await gated.initProducer(options));
    return new Proxy(gated, {
      get: (target, property) => (property === 'initProducer' ? initProducer : Reflect.get(target, property)),
    });
  }

  private gatedProducer(producer: TransactionalProducer): TransactionalProducer {
    const gated = this.gated(producer);
    const commit = () => {
      if (this.freezeAtNextCommit) {
        this.freezeAtNextCommit = false;
        this.freeze();
      }
      return gated.commit();
    };
    return new Proxy(gated, {
      get: (target, property) => (property === 'commit' ? commit : Reflect.get(target, property)),
    });
  }

  /** Wraps every method of a port whose methods all answer promises. */
  private gated<T extends object>(port: T): T {
    return new Proxy(port, {
      get: (target, property) => {
        const member: unknown = Reflect.get(target, property);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => this.pass(() => Reflect.apply(member, target, args) as Promise<unknown>);
      },
    });
  }

  private async pass<T>(call: () => Promise<T>): Promise<T> {
    await this.gate;
    try {
      return await call();
    } finally {
      await this.gate;
    }
  }
}
