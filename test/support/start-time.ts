/**
 * How long a bundled function takes from the start of its process until it does something for its first event.
 *
 * On a machine that does other things as well, the time on the clock says more about those. So the processor time of the process is
 * looked at too: a start waits for nothing but its own code and files, and cannot take longer than that where it is alone.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** Longest that a start is waited for. */
const patienceMs = 30_000;

/** A handler's context, as text of a program. */
const context = "{ awsRequestId: 'first', functionName: 'started', getRemainingTimeInMillis: () => 60_000 }";

/** Of Linux: clock ticks a second in /proc. */
const ticksPerSecond = 100;

/**
 * Milliseconds, of the clock or of the processor, whichever are fewer, from the spawn of plain Node until the function, invoked at once with `event`, opens its first connection to the
 * broker: by then its code is loaded, its settings are read, and its ports are being made.
 */
export async function startTimeMs(bundle: string, event: unknown, env: NodeJS.ProcessEnv): Promise<number> {
  const broker = createServer((socket) => socket.destroy());
  broker.listen(0, '127.0.0.1');
  await once(broker, 'listening');
  const { port } = broker.address() as AddressInfo;
  const program = `const { handler } = await import(${JSON.stringify(bundle)});
    await handler(${JSON.stringify(event)}, ${context});`;
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...env, MILLRACE_PORTS: 'aws', MILLRACE_KAFKA_BROKERS: `127.0.0.1:${port}` },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await once(broker, 'connection', { signal: AbortSignal.timeout(patienceMs) });
    return Math.min(performance.now() - startedMs, await processorMs(child.pid));
  } finally {
    child.kill('SIGKILL');
    broker.close();
  }
}

/** Processor time of a process so far; infinity where the system does not tell. */
async function processorMs(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return Number.POSITIVE_INFINITY;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return ((user + system) * 1_000) / ticksPerSecond;
}
