/** Makes a case that fails smaller: fewer nodes, fewer inputs. */
import type { CaseTopology } from '../build-topology.js';
import type { CaseInput } from '../parity-case.js';
import { topicsOf, withoutNodes } from './smaller-topology.js';

/** Asks at most so often whether a smaller case still fails. */
const MAX_TRIES = 150;

/** What can be left out of a case of any family. */
export interface Shrinkable {
  readonly topology: unknown;
  readonly inputs?: readonly CaseInput[];
  readonly config?: Readonly<Record<string, string>>;
}

export async function shrink<C extends Shrinkable>(of: C, fails: (smaller: C) => Promise<boolean>): Promise<C> {
  let tries = MAX_TRIES;
  const stillFails = async (smaller: C) => {
    tries -= 1;
    return tries >= 0 && (await fails(smaller));
  };
  let best = of;
  for (const name of Object.keys(best.config ?? {})) {
    const { [name]: _left, ...config } = best.config ?? {};
    const { config: _all, ...plain } = best;
    const candidate = (Object.keys(config).length === 0 ? plain : { ...best, config }) as C;
    if (await stillFails(candidate)) best = candidate;
  }
  for (const smaller of withoutNodes) {
    for (let at = sizeOf(best) - 1; at >= 0; at -= 1) {
      const topology = smaller(best.topology as CaseTopology, at);
      if (topology === undefined) continue;
      const candidate = withTopology(best, topology);
      if (await stillFails(candidate)) {
        best = candidate;
        at = Math.min(at, sizeOf(best));
      }
    }
  }
  const inputs = best.inputs ?? [];
  for (let size = Math.ceil(inputs.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = (best.inputs ?? []).length - size; from > -size; from -= size) {
      const all: readonly CaseInput[] = best.inputs ?? [];
      const fewer = all.filter((_, index) => index < from || index >= from + size);
      const candidate = { ...best, inputs: fewer };
      if (fewer.length < all.length && (await stillFails(candidate))) best = candidate;
    }
  }
  return best;
}

function sizeOf(of: Shrinkable): number {
  const { nodes, papi } = of.topology as CaseTopology;
  return (nodes ?? papi ?? []).length;
}

/** The case with a smaller topology, and with the inputs that it still reads. */
function withTopology<C extends Shrinkable>(of: C, topology: CaseTopology): C {
  if (of.inputs === undefined) return { ...of, topology };
  const topics = topicsOf(topology);
  const inputs = of.inputs.filter((input) => 'advanceWallClockMs' in input || topics.has(input.topic));
  return { ...of, topology, inputs };
}
