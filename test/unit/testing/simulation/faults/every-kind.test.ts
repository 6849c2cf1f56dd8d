import { describe, expect, it } from 'vitest';
import { createChance } from '../../../../../lib/testing/simulation/chance.js';
import type { Fault, FaultKind } from '../../../../../lib/testing/simulation/faults/fault.js';
import { FAULT_KINDS, faultKind } from '../../../../../lib/testing/simulation/faults/fault-kinds.js';
import {
  countsOf,
  exactCounts,
  runScene,
  SCENE_SIZE,
  type SceneRun,
} from '../../../../support/simulation/fault-scene.js';

const DRAWS_MOST = 12;

/** The first draw of a kind that finds its moment. */
async function firstThatFires(kind: FaultKind): Promise<{ readonly fault: Fault; readonly run: SceneRun }> {
  for (let seed = 0; seed < DRAWS_MOST; seed += 1) {
    const fault = kind.make(createChance(seed, kind.kind), SCENE_SIZE);
    const run = await runScene([fault]);
    if (run.faultsFired.has(kind.kind)) return { fault, run };
  }
  throw new Error(`none of ${DRAWS_MOST} draws of ${kind.kind} found its moment`);
}

describe.each(FAULT_KINDS.map((kind) => [kind.kind, kind] as const))('the fault %s', (_, kind) => {
  it('takes effect, is survived, and takes the same course each time', async () => {
    const { fault, run } = await firstThatFires(kind);

    const again = await runScene([JSON.parse(JSON.stringify(fault))]);

    expect(again.digest).toBe(run.digest);
    expect(run.violations).toEqual([]);
    if (run.cloud.harms.excused().size === 0) expect(await countsOf(run)).toEqual(exactCounts());
  });
});

describe('the list of faults', () => {
  it('names each kind once', () => {
    expect(new Set(FAULT_KINDS.map(({ kind }) => kind)).size).toBe(FAULT_KINDS.length);
  });

  it('finds a kind by its name, and refuses a name that it does not have', () => {
    expect(faultKind('crash').about).toContain('dies');
    expect(() => faultKind('crush')).toThrow("no fault is called 'crush'");
  });

  it('draws faults that bear to be written down as JSON', () => {
    for (const kind of FAULT_KINDS) {
      const fault = kind.make(createChance(1, 'json'), SCENE_SIZE);
      expect(JSON.parse(JSON.stringify(fault))).toEqual(fault);
      expect(fault.kind).toBe(kind.kind);
    }
  });
});
