/**
 * Ports that need nothing but Node: everything inside the function's own process, log and snapshots in a folder.
 *
 * Two functions that are deployed with these do not see each other: they show that a deployment starts, and no more. The whole
 * system in one process is what `millrace/local` is for.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeHost } from '../host/node/node-host.js';
import { createMemoryInvoker } from '../invoke/memory/memory-invoker.js';
import { createMemoryLeaseStore } from '../leases/memory/memory-lease-store.js';
import { createMemoryLog } from '../log/memory/memory-log.js';
import { asStreamsError } from '../model/errors.js';
import type { RuntimePorts } from '../runtime/ports.js';
import { createFolderSnapshotStore } from '../snapshots/folder/folder-snapshot-store.js';
import type { Environment } from './environment.js';

/**
 * The embedded set, in MILLRACE_STATE_DIR (default: `millrace` in the folder for temporary files).
 *
 * @throws {InvalidFolderError} STREAMS_INVALID_FOLDER if the folder can't be used
 */
export async function embeddedPorts(environment: Environment): Promise<RuntimePorts> {
  const folder = environment.MILLRACE_STATE_DIR || join(tmpdir(), 'millrace');
  const host = createNodeHost();
  const invoker = createMemoryInvoker({
    clock: host.clock,
    onFailure: ({ target, error }) => {
      const { code, message } = asStreamsError(error);
      host.logger.warn('invocation-failed', { target, code, message });
    },
  });
  return {
    log: await createMemoryLog({ host, dir: join(folder, 'log') }),
    leases: createMemoryLeaseStore(),
    snapshots: createFolderSnapshotStore(join(folder, 'snapshots')),
    invoker,
    host,
  };
}
