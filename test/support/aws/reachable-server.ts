/** A server of the test that functions can reach, where they can: on this machine, or from a container, or from AWS. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TargetChoice } from './target.js';

const thisMachine = '127.0.0.1';

export interface ListeningServer {
  /** Its URL here. */
  readonly url: string;
  /** Its URL in a function. */
  readonly urlForFunctions: string;
  close(): Promise<void>;
}

/** Listens on a free port; beyond this machine only where functions are elsewhere. */
export async function listen(
  server: Server,
  { testHost = thisMachine }: Pick<TargetChoice, 'testHost'>,
): Promise<ListeningServer> {
  const address = testHost === thisMachine ? thisMachine : '0.0.0.0';
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${thisMachine}:${port}`,
    urlForFunctions: `http://${testHost}:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
