/** How long a bundled function takes from the start of its process until it does something for its first event. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** Longest that a start is waited for. */
const patienceMs = 30_000;

/** A handler's context, as text of a program. */
const context = "{ awsRequestId: 'first', functionName: 'started', getRemainingTimeInMillis: () => 60_000 }";

/**
 * Milliseconds from the spawn of plain Node until the function, invoked at once with `event`, opens its first connection to the
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
    return performance.now() - startedMs;
  } finally {
    child.kill('SIGKILL');
    broker.close();
  }
}
