import { createServer } from 'node:net';

/** Below the range from which systems take the ports of outgoing connections: nobody takes one while a broker restarts. */
const LOWEST = 15_000;
const HIGHEST = 31_999;
const MAX_TRIES = 1_000;

/** Ports of 127.0.0.1 on which nobody listens now, taken by chance so that processes that ask at once differ. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries += 1) {
    if (tries === MAX_TRIES) throw new Error(`found no ${count} free ports in ${MAX_TRIES} tries`);
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST + 1));
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
