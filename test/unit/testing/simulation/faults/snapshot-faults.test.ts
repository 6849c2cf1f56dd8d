import { describe, expect, it } from 'vitest';
import { countsOf, exactCounts, runScene, type SceneRun } from '../../../../support/simulation/fault-scene.js';

const refusals = (run: SceneRun) =>
  run.entries('snapshot-refused').map(({ fields }) => [fields.snapshot, fields.reason]);

describe('a torn object', () => {
  it.each([true, false])(
    'is not what was written (cut off: %s), is refused, and the state comes from elsewhere',
    async (cut) => {
      const quiet = await runScene([]);
      const writes = quiet.effects.filter(({ effect }) => effect.port === 'snapshots' && effect.method === 'create');
      const object = writes.findLastIndex(
        ({ atMs, effect }) => atMs < 6_000 && String(effect.args[0]).endsWith('.manifest'),
      );

      const run = await runScene([{ kind: 'snapshot-torn', object, place: 0.5, cut }]);

      const { name } = run.fault('snapshot-torn').fields;
      const written = run.effects.find(({ effect }) => effect.method === 'create' && effect.args[0] === name);
      expect(await run.cloud.snapshots.read(String(name))).not.toEqual(written?.effect.args[1]);
      expect(refusals(run)).toContainEqual([name, 'corrupt-manifest']);
      expect(await countsOf(run)).toEqual(exactCounts());
    },
  );
});

describe('a lost object', () => {
  it.each([true, false])('is gone (a manifest: %s), and the state comes from elsewhere', async (manifest) => {
    const run = await runScene([{ kind: 'snapshot-lost', atMs: 5_500, manifest, object: 0 }]);

    const { name } = run.fault('snapshot-lost').fields;
    expect(String(name)).toMatch(manifest ? /\.manifest$/ : /\.segment$/);
    expect(await run.cloud.snapshots.read(String(name))).toBe(null);
    expect(await countsOf(run)).toEqual(exactCounts());
  });
});
