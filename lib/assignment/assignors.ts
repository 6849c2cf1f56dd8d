import { InvalidSettingError } from '../model/errors.js';
import { highAvailability } from './high-availability/high-availability.js';
import { steady, sticky } from './steady/steady.js';
import type { TaskAssignor } from './task-assignor.js';
import { weighted } from './weighted/weighted.js';

/** The assignors that come with the library; a new one is a folder beside `steady/` and an entry here. */
export const BUILT_IN_ASSIGNORS: readonly TaskAssignor[] = [steady, sticky, weighted, highAvailability];

/**
 * The assignor of that name, looked for among the user's own first. Kafka: `task.assignor.class`.
 *
 * @param name the setting `assignor`
 * @param own the user's assignors; one with the name of a built-in replaces it
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING listing the names there are
 */
export function findAssignor(name: string, own: readonly TaskAssignor[] = []): TaskAssignor {
  const known = [...own, ...BUILT_IN_ASSIGNORS];
  const found = known.find((assignor) => assignor.name === name);
  if (found !== undefined) return found;
  const names = [...new Set(known.map((assignor) => assignor.name))].sort();
  throw new InvalidSettingError(`assignor (task.assignor): there is none of the name '${name}'`, {
    details: { name: 'assignor', value: name, known: names },
    remedy: `Use one of ${names.join(', ')}, or hand your own assignor to the scheduler.`,
  });
}
