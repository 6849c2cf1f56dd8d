/**
 * Ports of a process that can die at any moment: how a crash looks from the inside.
 *
 * Once `death` has fired, no call reaches the outside, and every call in progress ends at once with STREAMS_ABORTED. What the
 * code above then still tries on its way out (abort, release, close) has no effect, as if it had never run. A call that was in
 * progress may still take effect, as a request that had left the machine would.
 */
import type { Host, LogFields, Logger } from '../host/host.js';
import type { Log, ProducerOptions, TransactionalProducer } from '../log/log.js';
import { AbortedError } from '../model/errors.js';
import type { RuntimePorts } from './ports.js';
import { wrapMethods } from './wrap-methods.js';

/** What an `AbortSignal` for a graceful stop carries as its reason when it means death instead. */
export const CRASH = 'crash';

/** The ports as a process sees them that dies when `death` fires; the ports themselves if nothing can end it before its machine does (null). */
export function mortalPorts(ports: RuntimePorts, death: AbortSignal | null): RuntimePorts {
  if (death === null) return ports;
  const life = new Life(death);
  return {
    log: mortalLog(ports.log, life),
    leases: mortal(ports.leases, life),
    snapshots: mortal(ports.snapshots, life),
    invoker: mortal(ports.invoker, life),
    host: mortalHost(ports.host, life),
  };
}

/** One signal for the two ways to say "die": `crash`, or `signal` aborted with the reason {@link CRASH}. Null: nobody can say it, as on Lambda. */
export function deathSignal(signal: AbortSignal | undefined, crash: AbortSignal | undefined): AbortSignal | null {
  if (signal === undefined && crash === undefined) return null;
  const death = new AbortController();
  const die = () => death.abort(CRASH);
  const dieIfCrash = () => {
    if (signal?.reason === CRASH) die();
  };
  if (crash?.aborted) die();
  else crash?.addEventListener('abort', die, { once: true });
  if (signal?.aborted) dieIfCrash();
  else signal?.addEventListener('abort', dieIfCrash, { once: true });
  return death.signal;
}

/**
 * What a process comes to, or STREAMS_ABORTED as soon as it dies: user code that waits for something else than a port must not
 * keep a dead process on its feet.
 */
export function untilDeath<T>(death: AbortSignal | null, process: Promise<T>): Promise<T> {
  return death === null ? process : new Life(death).call(() => process);
}

/** The calls in progress of one process: one listener on the signal, however many there are. */
class Life {
  private readonly death: AbortSignal;
  private readonly callsInProgress = new Set<() => void>();

  constructor(death: AbortSignal) {
    this.death = death;
    const end = () => {
      for (const giveUp of [...this.callsInProgress]) giveUp();
    };
    if (!death.aborted) death.addEventListener('abort', end, { once: true });
  }

  get isOver(): boolean {
    return this.death.aborted;
  }

  /** Makes a call, unless the process has died; gives it up when it dies. */
  call<T>(call: () => Promise<T>): Promise<T> {
    if (this.isOver) return Promise.reject(died());
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(died());
      this.callsInProgress.add(giveUp);
      call().then(
        (answer) => {
          this.callsInProgress.delete(giveUp);
          resolve(answer);
        },
        (thrown: unknown) => {
          this.callsInProgress.delete(giveUp);
          reject(thrown);
        },
      );
    });
  }
}

function died(): AbortedError {
  return new AbortedError('the process has died');
}

function mortalLog(log: Log, life: Life): Log {
  const inner = mortal(log, life);
  const initProducer = async (options: ProducerOptions): Promise<TransactionalProducer> =>
    mortal(await inner.initProducer(options), life);
  return new Proxy(inner, {
    get: (target, property) => (property === 'initProducer' ? initProducer : Reflect.get(target, property)),
  });
}

function mortalHost(host: Host, life: Life): Host {
  const { clock } = host;
  return {
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: (ms, signal) => life.call(() => clock.sleep(ms, signal)),
    },
    random: host.random,
    logger: mortalLogger(host.logger, life),
    metrics: host.metrics,
    codec: host.codec,
    digest: host.digest,
  };
}

function mortalLogger(logger: Logger, life: Life): Logger {
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (event: string, fields?: LogFields) => {
    if (!life.isOver) logger[level](event, fields);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: (event, fields, thrown) => {
      if (!life.isOver) logger.error(event, fields, thrown);
    },
    child: (fields) => mortalLogger(logger.child(fields), life),
  };
}

/** Wraps every method of a port whose methods all answer promises; plain fields are handed through. */
function mortal<T extends object>(port: T, life: Life): T {
  return wrapMethods(
    port,
    (member) =>
      (...args) =>
        life.call(() => Reflect.apply(member, port, args) as Promise<unknown>),
  );
}
