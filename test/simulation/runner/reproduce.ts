/** The command that runs one seed again, or a part of it. */
import { formatIndexRanges } from '../../../lib/testing/simulation/index-ranges.js';
import type { ScenarioPart } from '../../../lib/testing/simulation/scenario-part.js';

export function reproduceSeed(seed: number): string {
  return `npm run simulate -- --seed ${seed}`;
}

export function reproducePart(seed: number, { faults, inputs, members }: ScenarioPart): string {
  const list = (indices: readonly number[]) => formatIndexRanges(indices) || 'none';
  return `${reproduceSeed(seed)} --faults ${list(faults)} --inputs ${list(inputs)} --members ${members}`;
}
