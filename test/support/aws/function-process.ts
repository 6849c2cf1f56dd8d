/**
 * The process in which a task function runs, to end and to stop: what no API of AWS offers. An emulator of our own runs it on this
 * machine, where it takes signals and the deployed code is untouched; elsewhere it takes orders (mortal-task-process.ts).
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sleep } from '../wait-for.js';
import { functionName } from './deployment.js';
import type { OpenTarget } from './open-target.js';
import { order } from './orders.js';
import type { OutsideView } from './outside-view.js';

const run = promisify(execFile);
const MAX_STOPS = 200;
/** Until what a process had sent has arrived, and an order has reached it. */
const ARRIVED_MS = 20;
const OBEYED_MS = 300;
const BETWEEN_STOPS_MS = 7;

/** Ends the process of a task function that runs, as a crash would. */
export async function endProcess(target: OpenTarget, view: OutsideView): Promise<void> {
  if (target.dir === undefined) return order(view, 'end');
  process.kill(await pidIn(target, target.dir), 'SIGKILL');
}

/**
 * Stops the process of a task function, until Lambda's time-out ends it, at a moment at which a transaction of it is open.
 *
 * @throws {Error} if there was no such moment
 */
export async function stopInTransaction(
  target: OpenTarget,
  view: OutsideView,
  isInTransaction: () => Promise<boolean>,
): Promise<void> {
  const { stop, goOn } = target.dir === undefined ? byOrders(view) : bySignals(await pidIn(target, target.dir));
  for (let stops = 0; stops < MAX_STOPS; stops += 1) {
    await stop();
    if (await isInTransaction()) return;
    await goOn();
    await sleep(BETWEEN_STOPS_MS);
  }
  throw new Error(`no transaction was open at ${MAX_STOPS} moments`);
}

function bySignals(pid: number) {
  return {
    async stop() {
      process.kill(pid, 'SIGSTOP');
      await sleep(ARRIVED_MS);
    },
    goOn: async () => void process.kill(pid, 'SIGCONT'),
  };
}

function byOrders(view: OutsideView) {
  return {
    async stop() {
      await order(view, 'stand still');
      await sleep(OBEYED_MS);
    },
    goOn: () => order(view, 'go on'),
  };
}

/** @throws {Error} if none runs */
async function pidIn(target: OpenTarget, dir: string): Promise<number> {
  const { stdout } = await run('ps', ['-A', '-ww', '-o', 'pid=,args=']);
  const worker = `${dir}/tmp/ministack-lambda-${functionName(target, 'task')}-`;
  const line = stdout.split('\n').find((one) => one.includes(worker));
  if (line === undefined) throw new Error('no task function runs');
  return Number.parseInt(line, 10);
}
