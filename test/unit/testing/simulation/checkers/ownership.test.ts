/** Checkers of who runs what can fail. */
import { describe, expect, it } from 'vitest';
import { oneEffectiveWriter } from '../../../../../lib/testing/simulation/checkers/one-effective-writer.js';
import { onlyMoversPause } from '../../../../../lib/testing/simulation/checkers/only-movers-pause.js';
import { type Scene, wrongIn } from '../../../../support/simulation/checked-scene.js';

describe('one effective writer', () => {
  const checker = oneEffectiveWriter;

  it('owners that follow one another may commit', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      scene.take('task#1', '0_0', 1);
      scene.commit('task#1', scene.initialise('task#1', '0_0', 0));
      scene.take('task#2', '0_0', 2);
      scene.commit('task#2', scene.initialise('task#2', '0_0', 1));
    });

    expect(wrong).toEqual([]);
  });

  it('a stale owner that initialised last and commits is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      scene.take('task#1', '0_0', 1);
      scene.take('task#2', '0_0', 2);
      scene.commit('task#2', scene.initialise('task#2', '0_0', 0));
      scene.commit('task#1', scene.initialise('task#1', '0_0', 1));
    });

    expect(wrong).toEqual([
      'task#1 (take 1 of the lease) commits as stress-0_0 after task#2 (take 2 of the lease) has committed',
    ]);
  });

  it('a stale owner is seen although a lost row has made epochs begin anew', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      scene.take('task#1', '0_0', 7);
      const stale = scene.initialise('task#1', '0_0', 0);
      scene.take('task#2', '0_0', 1);
      scene.commit('task#2', scene.initialise('task#2', '0_0', 1));
      scene.commit('task#1', stale);
    });

    expect(wrong).toHaveLength(1);
  });

  it('a commit by somebody who never took the lease is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      scene.commit('task#1', scene.initialise('task#1', '0_0', 0));
    });

    expect(wrong).toEqual(['task#1 commits as stress-0_0 without having taken its lease']);
  });
});

describe('only movers pause', () => {
  const checker = onlyMoversPause;
  const plan = (number: number, active: readonly string[]) => ({
    number,
    dead: [],
    assignment: { 'member-1': { active, standby: [], warmup: [] } },
  });
  const revoked = { taskId: '0_0', memberId: 'member-1', incarnation: 1, reason: 'revoked' };
  const writePlan = (scene: Scene, item: object) =>
    scene.effect('scheduler#1', { port: 'leases', method: 'writePlan', args: [item] }, { applied: true, item });

  it('a task that a plan gives away is handed back', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      writePlan(scene, plan(1, ['0_0']));
      scene.take('task#1', '0_0', 1);
      writePlan(scene, plan(2, []));
      scene.cloud.timeline.add('task#1', 'task-released', revoked);
    });

    expect(wrong).toEqual([]);
  });

  it('a task is handed back in order although the next owner has it before the end is logged', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      writePlan(scene, plan(1, ['0_0']));
      scene.take('task#1', '0_0', 1);
      writePlan(scene, plan(2, []));
      writePlan(scene, plan(3, ['0_0']));
      scene.take('task#2', '0_0', 2, { memberId: 'member-2', incarnation: 1 });
      scene.cloud.timeline.add('task#1', 'task-released', revoked);
    });

    expect(wrong).toEqual([]);
  });

  it('a task may be handed back that was asked to end before its run, fenced meanwhile, took its lease again', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      writePlan(scene, plan(1, ['0_0']));
      scene.take('task#1', '0_0', 1);
      writePlan(scene, plan(2, []));
      writePlan(scene, plan(3, ['0_0']));
      scene.take('task#1', '0_0', 2);
      scene.cloud.timeline.add('task#1', 'task-released', revoked);
    });

    expect(wrong).toEqual([]);
  });

  it('what was asked of one run is no reason for the next of the same owner', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      writePlan(scene, plan(1, ['0_0']));
      scene.take('task#1', '0_0', 1);
      writePlan(scene, plan(2, []));
      scene.cloud.timeline.add('task#1', 'task-released', revoked);
      writePlan(scene, plan(3, ['0_0']));
      scene.take('task#1', '0_0', 2);
      scene.cloud.timeline.add('task#1', 'task-released', revoked);
    });

    expect(wrong).toHaveLength(1);
  });

  it('a task that is handed back although every plan grants it is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      writePlan(scene, plan(1, []));
      writePlan(scene, plan(2, ['0_0']));
      scene.take('task#1', '0_0', 1);
      writePlan(scene, plan(3, ['0_0', '0_1']));
      scene.cloud.timeline.add('task#1', 'task-released', revoked);
    });

    expect(wrong).toHaveLength(1);
  });
});
