/** The processes in which the emulator runs functions, to kill and to stop: what no API of AWS offers. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type DeployedFunction, functionName } from './deployment.js';
import type { Emulator } from './emulator.js';

const run = promisify(execFile);

/**
 * Process ids of a function's execution environments, busy or not.
 *
 * @throws {Error} where the emulator was given: its processes are out of reach
 */
export async function functionProcesses(emulator: Emulator, name: DeployedFunction): Promise<number[]> {
  if (emulator.dir === undefined) throw new Error('functions of an emulator that was given can not be killed');
  const { stdout } = await run('ps', ['-A', '-ww', '-o', 'pid=,args=']);
  const worker = `${emulator.dir}/tmp/ministack-lambda-${functionName(name)}-`;
  return stdout
    .split('\n')
    .filter((line) => line.includes(worker))
    .map((line) => Number.parseInt(line, 10));
}
