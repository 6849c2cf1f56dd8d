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

/** What an `AbortSignal` for a graceful stop carries as its reason when it means death instead. */
export const CRASH = 'crash';

/** The ports as a process sees them that dies when `death` fires. */
export function mortalPorts(ports: RuntimePorts, death: AbortSignal): RuntimePorts {
  return {
    log: mortalLog(ports.log, death),
    leases: mortal(ports.leases, death),
    snapshots: mortal(ports.snapshots, death),
    invoker: mortal(ports.invoker, death),
    host: mortalHost(ports.host, death),
  };
}

/** One signal for the two ways to say "die": `crash`, or `signal` aborted with the reason {@link CRASH}. */
export function deathSignal(signal: AbortSignal | undefined, crash: AbortSignal | undefined): AbortSignal {
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

function mortalLog(log: Log, death: AbortSignal): Log {
  const inner = mortal(log, death);
  const initProducer = async (options: ProducerOptions): Promise<TransactionalProducer> =>
    mortal(await inner.initProducer(options), death);
  return new Proxy(inner, {
    get: (target, property) => (property === 'initProducer' ? initProducer : Reflect.get(target, property)),
  });
}

function mortalHost(host: Host, death: AbortSignal): Host {
  const { clock } = host;
  return {
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: (ms, signal) => untilDeath(death, () => clock.sleep(ms, signal)),
    },
    random: host.random,
    logger: mortalLogger(host.logger, death),
    metrics: host.metrics,
    codec: host.codec,
    digest: host.digest,
  };
}

function mortalLogger(logger: Logger, death: AbortSignal): Logger {
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (event: string, fields?: LogFields) => {
    if (!death.aborted) logger[level](event, fields);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => mortalLogger(logger.child(fields), death),
  };
}

/** Wraps every method of a port whose methods all answer promises; plain fields are handed through. */
function mortal<T extends object>(port: T, death: AbortSignal): T {
  return new Proxy(port, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => untilDeath(death, () => Reflect.apply(member, target, args) as Promise<unknown>);
    },
  });
}

function untilDeath<T>(death: AbortSignal, call: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const die = () => reject(new AbortedError('the process has died'));
    if (death.aborted) {
      die();
      return;
    }
    death.addEventListener('abort', die, { once: true });
    call()
      .then(resolve, reject)
      .finally(() => death.removeEventListener('abort', die));
  });
}
