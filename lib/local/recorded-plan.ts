/**
 * What has to be remembered of plans when all processes are gone: the partition counts that the state was made with.
 *
 * Members and leases end with the process and are made anew; keys would go to tasks that do not hold their state if a topic came
 * back with another count. One small file, replaced as a whole by a rename:
 *
 * ```
 *   MILLRACE PLAN 1 · CRC-32C of the next line in hex
 *   the plan as JSON
 * ```
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Digest } from '../host/host.js';
import type { Conditional, LeaseStore } from '../leases/lease-store.js';
import type { Plan } from '../leases/records.js';
import { InvalidFolderError, UnavailableError } from '../model/errors.js';

const FILE = 'plan.json';
const HEADER = 'MILLRACE PLAN 1';

/** The part of a plan that outlives its members. */
type RecordedPlan = Pick<Plan, 'number' | 'createdAtMs' | 'assignor' | 'partitions'>;

/**
 * The plan that the folder remembers, over no members; null if it remembers none.
 *
 * @throws {InvalidFolderError} STREAMS_INVALID_FOLDER if the file can't be read or is damaged
 */
export function readRecordedPlan(dir: string, digest: Digest): Plan | null {
  const path = join(dir, FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new InvalidFolderError(`${path} can't be read`, { cause: thrown, details: { path } });
  }
  const [header, json = '', ...rest] = text.split('\n');
  if (rest.join('') !== '' || header !== headerOf(json, digest)) {
    throw new InvalidFolderError(`${path} is damaged: it does not have the checksum that it names`, {
      details: { path },
      remedy: 'Put the file back from a copy. Without it, changed partition counts of topics are no longer noticed.',
    });
  }
  const { number, createdAtMs, assignor, partitions } = JSON.parse(json) as RecordedPlan;
  return { number, createdAtMs, assignor, partitions, reason: 'recorded', assignment: {}, dead: [] };
}

/** The tables, with the newest plan also kept in the folder. */
export function recordingPlans(leases: LeaseStore, dir: string, digest: Digest): LeaseStore {
  return {
    ...leases,
    async writePlan(plan: Plan, how?: { readonly anew: boolean }): Promise<Conditional<Plan>> {
      const answer = await leases.writePlan(plan, how);
      if (answer.applied) record(dir, answer.item, digest);
      return answer;
    },
  };
}

/** @throws {UnavailableError} STREAMS_UNAVAILABLE if the disk refuses; the file before it stays */
function record(dir: string, { number, createdAtMs, assignor, partitions }: Plan, digest: Digest): void {
  const json = JSON.stringify({ number, createdAtMs, assignor, partitions } satisfies RecordedPlan);
  const path = join(dir, FILE);
  try {
    writeFileSync(`${path}.tmp`, `${headerOf(json, digest)}\n${json}\n`, { flush: true });
    renameSync(`${path}.tmp`, path);
  } catch (thrown) {
    throw new UnavailableError(`${path} can't be written`, { cause: thrown, details: { path } });
  }
}

function headerOf(json: string, digest: Digest): string {
  return `${HEADER} · ${digest.crc32c(Buffer.from(json)).toString(16).padStart(8, '0')}`;
}
