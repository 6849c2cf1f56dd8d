/** What user code sees of the world it runs in: time, chance, what is outside of its process, and the way there. */
import type { Clock } from '../../../host/host.js';
import { InvalidSettingError } from '../../../model/errors.js';
import type { StreamsApp } from '../../../topology/app.js';
import type { Chance } from '../chance.js';
import { createChance } from '../chance.js';
import type { Cloud } from '../cloud.js';
import type { PortCall } from '../simulated-ports.js';
import type { SimulatedProcess } from '../simulated-process.js';
import { inWords, type RemoteCalls } from './remote-calls.js';
import type { Remote, SimulatedApp, SimulatedEnvironment, SimulatedWorld } from './simulation-options.js';

/** Longest time that a call of a service takes on its way there, and back. */
const WAY_MOST_MS = 5;
/** Share of the calls that take long on their way there: whoever does not wait for them commits before they arrive. */
export const SLOW = 0.05;
/** How long those take, in milliseconds: more than a commit or two. */
const SLOW_WAY_MS = [200, 800] as const;
/** Letters of a call's arguments in the timeline. */
const ARGUMENTS_MOST = 200;

/** The world of one run. */
export function createWorld(seed: number, clock: Clock, isReference: boolean): SimulatedWorld {
  const chance = createChance(seed, 'outside');
  return { seed, isReference, chance, nowMs: () => clock.now(), sleep: (ms) => clock.sleep(ms) };
}

/** The clock of a reference: it shows what was slept on it, and nobody waits. */
export function timelessClock(startMs: number): Clock {
  let sleptMs = 0;
  return {
    now: () => Math.floor(startMs + sleptMs),
    monotonic: () => sleptMs,
    sleep: async (ms) => {
      sleptMs += ms;
    },
  };
}

/**
 * The application as one process makes it at its start.
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING if it answers a promise, or no application
 */
export function startApp<Outside>(app: SimulatedApp<Outside>, environment: SimulatedEnvironment<Outside>): StreamsApp {
  const made: unknown = typeof app === 'function' ? app(environment) : app;
  return checkMade('app', made, (value): value is StreamsApp => 'topology' in value && 'applicationId' in value);
}

/** @throws {InvalidSettingError} STREAMS_INVALID_SETTING if it answers a promise */
export function makeOutside<Outside>(outside: (world: SimulatedWorld) => Outside, world: SimulatedWorld): Outside {
  const made = outside(world);
  if (typeof made === 'object' && made !== null) checkMade('outside', made, (value): value is object => value === made);
  return made;
}

/** What a function of the user's has made: an object, and not the promise of one. */
function checkMade<T>(option: 'app' | 'outside', made: unknown, isRight: (value: object) => value is T & object): T {
  const isObject = typeof made === 'object' && made !== null;
  if (isObject && typeof Reflect.get(made, 'then') === 'function')
    throw new InvalidSettingError(
      `simulate: ${option}: the function is asynchronous and answers a promise, where it must answer at once`,
      { details: { name: option }, remedy: 'Wait for what it needs before `simulate` is called, and pass that in.' },
    );
  if (isObject && isRight(made)) return made;
  throw new InvalidSettingError(`simulate: ${option}: what was given, or made, is no application of defineApp`, {
    details: { name: option },
    remedy: 'Give what `defineApp` answers, or a function that answers it.',
  });
}

/** The environment of the process that a reference runs in. */
export function referenceEnvironment<Outside>(
  world: SimulatedWorld,
  outside: Outside,
  calls: RemoteCalls,
): SimulatedEnvironment<Outside> {
  const remote = <S extends object>(service: S) =>
    promising(service, async (method, args) => {
      calls.note(method.name, args);
      return Reflect.apply(method.run, service, args);
    });
  return { ...world, name: 'reference', outside, remote };
}

/** The environment of one process: it ends with the process, and stands still with it. */
export function processEnvironment<Outside>(
  world: SimulatedWorld,
  outside: Outside,
  { process, cloud, calls }: { readonly process: SimulatedProcess; readonly cloud: Cloud; readonly calls: RemoteCalls },
): SimulatedEnvironment<Outside> {
  const chance = cloud.chance(`${process.name}/outside`);
  // Whoever waits in a process that dies waits for ever: an error would reach code that is dead, or nobody who waits for it.
  const mortal = async <T>(work: () => Promise<T>): Promise<T> => {
    await process.thawed();
    if (process.isDead) return forEver();
    try {
      return await work();
    } finally {
      await process.thawed();
      if (process.isDead) await forEver();
    }
  };
  const remote = <S extends object>(service: S) =>
    promising(service, (method, args) =>
      mortal(() =>
        call(cloud, chance, { process, method: method.name, args }, () => {
          calls.note(method.name, args);
          cloud.timeline.add(process.name, 'remote-call', { method: method.name, args: cut(inWords(args)) });
          return Reflect.apply(method.run, service, args);
        }),
      ),
    );
  return {
    ...world,
    name: process.name,
    outside,
    nowMs: () => world.nowMs() + process.skewMs,
    sleep: (ms) => mortal(() => world.sleep(ms)),
    remote,
  };
}

/** One call of a service: there, its effect, back; what befalls calls of the ports befalls it too. */
async function call(
  cloud: Cloud,
  chance: Chance,
  { process, method, args }: Pick<PortCall, 'process' | 'method' | 'args'>,
  effect: () => unknown,
): Promise<unknown> {
  const isSlow = chance.happens(SLOW);
  const sentAtMs = cloud.time.nowMs;
  const made: PortCall = { process, port: 'outside', method, args, sentAtMs, reads: false, producer: null, isSlow };
  await cloud.time.clock.sleep(isSlow ? chance.between(...SLOW_WAY_MS) : chance.next() * WAY_MOST_MS);
  await cloud.before(made);
  if (process.isDead) return undefined; // nobody waits for it any more, and it never left
  await process.thawed();
  const answer = await effect();
  await cloud.after(made, answer);
  const heard = await cloud.answer(made, answer);
  await cloud.time.clock.sleep(chance.next() * WAY_MOST_MS);
  return heard;
}

/** Each its own: what waits for it is forgotten together with it. */
function forEver(): Promise<never> {
  return new Promise(() => undefined);
}

function cut(text: string): string {
  return text.length <= ARGUMENTS_MOST ? text : `${text.slice(0, ARGUMENTS_MOST)}…`;
}

interface Method {
  readonly name: string;
  readonly run: (...args: never[]) => unknown;
}

function promising<S extends object>(
  service: S,
  call: (method: Method, args: readonly unknown[]) => Promise<unknown>,
): Remote<S> {
  return new Proxy(service, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => call({ name: String(property), run: member as Method['run'] }, args);
    },
  }) as Remote<S>;
}
