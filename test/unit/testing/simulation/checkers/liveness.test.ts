/** Checkers of what lasts, falls quiet and is left over can fail. */
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../../../lib/leases/records.js';
import type { TaskId } from '../../../../../lib/model/task-id.js';
import { boundsOf } from '../../../../../lib/testing/simulation/checkers/bounds.js';
import { noGarbage } from '../../../../../lib/testing/simulation/checkers/no-garbage.js';
import { nothingBeyondItsBound } from '../../../../../lib/testing/simulation/checkers/nothing-beyond-its-bound.js';
import { plansConverge, problemsOf } from '../../../../../lib/testing/simulation/checkers/plans-converge.js';
import { quietWhenIdle } from '../../../../../lib/testing/simulation/checkers/quiet-when-idle.js';
import { type Scene, wrongIn } from '../../../../support/simulation/checked-scene.js';

const owner = { memberId: 'member-1', incarnation: 1 } as const;
const EMPTY = { running: [], positions: [], recordsProcessed: 0 };

async function claim({ cloud }: Scene): Promise<void> {
  await cloud.leases.createMember(owner.memberId);
  await cloud.leases.claimMember({ ...owner, report: EMPTY, tags: {} });
}

/** A plan that gives every task to the first of the slots. */
function planFor({ witness }: Scene, number: number, slots: readonly string[]): Plan {
  const all = witness.map.tasks.map(({ taskId }) => taskId);
  const assignment = Object.fromEntries(
    slots.map((id, index) => [id, { active: index === 0 ? all : [], standby: [], warmup: [] }]),
  );
  return { number, createdAtMs: 0, reason: 'test', assignor: 'test', assignment, dead: [], partitions: {} };
}

describe('nothing beyond its bound', () => {
  const checker = nothingBeyondItsBound;

  it('a slot whose heartbeat stands still while a scheduler runs is seen after its bound, and not before', async () => {
    const said: number[] = [];
    const wrong = await wrongIn({ checker }, async (scene) => {
      await claim(scene);
      scene.run('scheduler#1');
      const bound = boundsOf(scene.cloud.app.settings, 60_000).silent;
      await scene.pass(bound);
      said.push(scene.wrong.length);
      await scene.pass(1_500);
    });

    expect(said).toEqual([0]);
    expect(wrong).toHaveLength(1);
    expect(wrong[0]).toContain('member-1/1 is silent at heartbeat 0');
  });

  it('a slot that heartbeats is no matter', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      await claim(scene);
      scene.run('scheduler#1');
      for (let beats = 0; beats < 30; beats += 1) {
        await scene.pass(500);
        await scene.cloud.leases.heartbeat({ ...owner, report: EMPTY });
      }
    });

    expect(wrong).toEqual([]);
  });

  it('a fault explains what lasts, for as long as its window is open', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      await claim(scene);
      scene.run('scheduler#1');
      scene.cloud.timeline.add('fault', 'table-throttled', { untilMs: 30_000 });
      await scene.pass(30_000);
    });

    expect(wrong).toEqual([]);
  });

  it('a draining slot, a lease of an incarnation that has ended, and work without owner are seen (trap 36)', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      const { leases } = scene.cloud;
      await claim(scene);
      await leases.drainMember(owner);
      await leases.takeLease({
        taskId: '9_9' as TaskId,
        owner: { memberId: 'member-7', incarnation: 1 },
        expected: null,
      });
      await scene.input('events', 1, 'e1', 'happened');
      scene.run('scheduler#1');
      for (let beats = 0; beats < 80; beats += 1) {
        await scene.pass(500);
        await leases.heartbeat({ ...owner, report: EMPTY });
      }
    });

    expect(wrong.map((what) => what.replace(/ for .*/, '')).sort()).toEqual([
      '4_1 has work and no owner',
      '9_9 is held by member-7/1, which has ended',
      'member-1/1 is draining',
    ]);
  });

  it('an open transaction and a time without scheduler are seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      await claim(scene);
      const producer = await scene.cloud.log.initProducer({ transactionalId: 'open', transactionTimeoutMs: 600_000 });
      await producer.sendOffsets('group', new Map());
      await scene.input('lines', 0, null, 'x');
      const [set] = await scene.cloud.log.fetch([{ topic: 'lines', partition: 0, fromOffset: 0 as never }], {
        isolation: 'readUncommitted',
        maxWaitMs: 0,
        maxBytes: 1,
      });
      if (set !== undefined) await producer.send({ topic: 'lines', partition: 1 }, set.records);
      await scene.pass(70_000);
    });

    expect(wrong.map((what) => what.replace(/ for .*/, '')).sort()).toEqual([
      'a transaction is open in lines-1 at 0',
      'no scheduler runs',
    ]);
  });
});

describe('plans converge', () => {
  const checker = plansConverge;

  it('a plan that gives a task to two, to nobody, or to a slot that is not wanted is seen', () => {
    const held = { active: ['0_0'] as never, standby: [], warmup: [] };
    const plan = { number: 3, assignment: { 'member-1': held, 'member-3': held } } as unknown as Plan;

    expect(problemsOf(plan, ['member-1', 'member-2'], ['0_0', '0_1'])).toEqual([
      'plan 3 lists member-1, member-3 where member-1, member-2 are wanted',
      'plan 3 gives 0_0 to member-1 and member-3',
      'plan 3 gives 0_1 to nobody',
    ]);
  });

  it('a plan that stands still is enough', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      await scene.cloud.leases.writePlan(planFor(scene, 1, ['member-1', 'member-2']));
      await scene.watched.settled?.();
    });

    expect(wrong).toEqual([]);
  });

  it('plans that follow one another for ever are seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      const { cloud } = scene;
      let isOver = false;
      cloud.inBackground(
        (async () => {
          for (let number = 1; !isOver; number += 1) {
            await cloud.leases.writePlan(planFor(scene, number, ['member-1', 'member-2']));
            await cloud.until(cloud.time.nowMs + 2_000);
          }
        })(),
      );
      await scene.watched.settled?.();
      isOver = true;
    });

    expect(wrong).toHaveLength(1);
    expect(wrong[0]).toContain('plans do not fall quiet');
  });

  it('a task that is held against the plan is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      await scene.cloud.leases.writePlan(planFor(scene, 1, ['member-1', 'member-2']));
      await scene.cloud.leases.takeLease({
        taskId: '0_0' as TaskId,
        owner: { memberId: 'member-2', incarnation: 1 },
        expected: null,
      });
      await scene.watched.settled?.();
    });

    expect(wrong).toEqual(['0_0 is held by member-2, which plan 1 does not grant it']);
  });
});

describe('no garbage', () => {
  it('an open transaction, an owned lease, a claimed and an unwanted slot, a stray topic and a stray object are seen', async () => {
    const wrong = await wrongIn({ checker: noGarbage }, async (scene) => {
      const { cloud } = scene;
      await claim(scene);
      await cloud.leases.createMember('member-9');
      await cloud.leases.takeLease({ taskId: '0_0' as TaskId, owner, expected: null });
      await cloud.log.createTopic({ name: 'stray', partitions: 1, config: {} });
      await cloud.snapshots.create('stress/9_9/counts/x', Buffer.from('x'));
      await scene.watched.settled?.();
      await scene.watched.ended?.();
    });

    expect([...wrong].sort()).toEqual([
      '0_0 is still held by member-1, incarnation 1',
      'member-1, incarnation 1, is claimed',
      'there is a slot member-9, and 2 are wanted',
      'there is a topic stray',
      'there is an object stress/9_9/counts/x, which belongs to no store',
    ]);
  });
});

describe('quiet when idle', () => {
  const checker = quietWhenIdle;

  it('whoever still runs is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      scene.run('task#1');
      await scene.watched.settled?.();
    });

    expect(wrong).toEqual(['does not fall asleep: task#1 still run']);
  });

  it('an invocation while it sleeps is seen, and that it does not wake for work', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      const { cloud } = scene;
      await scene.input('events', 0, 'e1', 'happened');
      cloud.inBackground(
        (async () => {
          await cloud.until(150_000);
          cloud.timeline.add('platform', 'invocation-accepted', { target: 'task' });
          const ask = { port: 'invoker', method: 'invoke', args: ['standby', { taskIds: ['0_0'] }] } as const;
          scene.effect('scheduler#1', ask, undefined);
          scene.effect('scheduler#2', ask, undefined);
          scene.effect('scheduler#1', ask, undefined);
        })(),
      );
      await scene.watched.settled?.();
    });

    expect(wrong[0]).toBe('1 members are invoked while it sleeps');
    expect(wrong[1]).toBe('1 times the standby function is asked again while it sleeps');
    expect(wrong[2]).toMatch(/^a record appended while it sleeps is not processed/);
  });
});
