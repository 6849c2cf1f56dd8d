/** Checkers of what is written to the tables can fail. */
import { describe, expect, it } from 'vitest';
import { CLOCK_TOLERANCE_MS } from '../../../../../lib/invoke/decode-payload.js';
import { latePayloadsAreIgnored } from '../../../../../lib/testing/simulation/checkers/late-payloads-are-ignored.js';
import { plansAreComplete } from '../../../../../lib/testing/simulation/checkers/plans-are-complete.js';
import { plansDoNotSwing } from '../../../../../lib/testing/simulation/checkers/plans-do-not-swing.js';
import { sessionsOpenInOrder } from '../../../../../lib/testing/simulation/checkers/sessions-open-in-order.js';
import { silentMembersStop } from '../../../../../lib/testing/simulation/checkers/silent-members-stop.js';
import { takesAreAllowed } from '../../../../../lib/testing/simulation/checkers/takes-are-allowed.js';
import { writesMeetConditions } from '../../../../../lib/testing/simulation/checkers/writes-meet-conditions.js';
import { type Scene, wrongIn } from '../../../../support/simulation/checked-scene.js';

const TASK = '0_0';

function owner(member: number, incarnation = 1) {
  return { memberId: `member-${member}`, incarnation };
}

function granting(member: number, dead: readonly object[] = []) {
  return { number: 1, assignment: { [`member-${member}`]: { active: [TASK], standby: [], warmup: [] } }, dead };
}

function write(scene: Scene, process: string, method: string, args: object, item: object): void {
  scene.effect(process, { port: 'leases', method, args: [args] }, { applied: true, item });
}

function reads(scene: Scene, process: string, method: string, answer: unknown): void {
  scene.effect(process, { port: 'leases', method, args: [] }, answer);
}

function take(scene: Scene, process: string, by: object, expected: object | null, epoch: number): void {
  write(scene, process, 'takeLease', { taskId: TASK, owner: by, expected }, { taskId: TASK, epoch, owner: by });
}

describe('takes are allowed', () => {
  const checker = takesAreAllowed;

  it('a granted task that is free may be taken, and one of a member declared dead', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      reads(scene, 'task#1', 'readPlan', granting(1));
      take(scene, 'task#1', owner(1), null, 1);
      reads(scene, 'task#2', 'readPlan', granting(2, [owner(1)]));
      take(scene, 'task#2', owner(2), { epoch: 1, owner: owner(1) }, 2);
    });

    expect(wrong).toEqual([]);
  });

  it('a take from a member that lives is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      reads(scene, 'task#1', 'readPlan', granting(1));
      take(scene, 'task#1', owner(1), null, 1);
      reads(scene, 'task#2', 'readPlan', granting(2));
      take(scene, 'task#2', owner(2), { epoch: 1, owner: owner(1) }, 2);
    });

    expect(wrong).toEqual(['task#2 takes 0_0 for member-2/1: member-1/1 holds it, and no plan has declared that dead']);
  });

  it('a take of an item that has changed since it was read is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      for (const process of ['task#1', 'task#2']) reads(scene, process, 'readPlan', granting(1));
      take(scene, 'task#1', owner(1), null, 1);
      take(scene, 'task#2', owner(1, 2), null, 2);
    });

    expect(wrong).toEqual(['task#2 takes 0_0 for member-1/2: it expected no item']);
  });

  it('a doorbell that takes what is granted to a live member is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      reads(scene, 'task#2', 'readPlan', granting(1));
      reads(scene, 'task#2', 'listMembers', [{ ...owner(1), status: 'claimed' }]);
      take(scene, 'task#2', owner(2), null, 1);
    });

    expect(wrong).toHaveLength(1);
  });
});

describe('writes meet their conditions', () => {
  const checker = writesMeetConditions;

  it('a release by somebody else than the owner is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      take(scene, 'task#1', owner(1), null, 1);
      take(scene, 'task#2', owner(2), { epoch: 1, owner: owner(1) }, 2);
      const release = { taskId: TASK, owner: owner(1), epoch: 1, offsets: null };
      write(scene, 'task#1', 'releaseLease', release, { taskId: TASK, epoch: 2, owner: null });
    });

    expect(wrong).toEqual(['task#1 releases 0_0 as member-1/1 in epoch 1, where member-2 has epoch 2']);
  });

  it('a death that is declared for a heartbeat of the past is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      write(scene, 'scheduler#1', 'declareDead', { ...owner(1), heartbeatVersion: 3 }, { heartbeatVersion: 4 });
    });

    expect(wrong).toHaveLength(1);
  });

  it('a plan that does not follow the newest is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      for (const number of [1, 2, 2]) write(scene, 'scheduler#1', 'writePlan', {}, { number });
    });

    expect(wrong).toEqual(['scheduler#1 writes plan 2 where the newest is 2']);
  });
});

describe('plans are complete', () => {
  it('a plan that forgets tasks is seen', async () => {
    const wrong = await wrongIn({ checker: plansAreComplete }, async (scene) => {
      write(scene, 'scheduler#1', 'writePlan', {}, granting(1));
    });

    expect(wrong).toContain('plan 1 gives 0_1 to nobody');
    expect(wrong.join()).not.toContain('gives 0_0 to nobody');
  });
});

describe('plans do not swing', () => {
  const checker = plansDoNotSwing;
  const writePlan = (scene: Scene, process: string, number: number, settingsDigest: string) =>
    write(scene, process, 'writePlan', {}, { ...granting(1), number, reason: 'test', settingsDigest });

  it('an invocation that plans against the settings of another again and again is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      for (let number = 1; number <= 6; number += 1)
        writePlan(scene, `scheduler#${number % 2}`, number, number % 2 === 0 ? 'old' : 'new');
    });

    expect(wrong).toEqual(['scheduler#0 plans against the settings of others once more, after 2 times: plan 6, test']);
  });

  it('each invocation may do so as it begins', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      for (let number = 1; number <= 6; number += 1) {
        const process = `scheduler#${number % 2}`;
        scene.cloud.timeline.add(process, 'invocation-started', { requestId: `request-${number}` });
        writePlan(scene, process, number, number % 2 === 0 ? 'old' : 'new');
      }
    });

    expect(wrong).toEqual([]);
  });
});

describe('late payloads are ignored', () => {
  it.each([
    ['a claim by an invocation that began too late is seen', 10_000 + CLOCK_TOLERANCE_MS + 2_000, 1],
    ['one that is late by no more than clocks may be apart may claim', 10_000 + CLOCK_TOLERANCE_MS, 0],
    ['one that began in time may claim', 0, 0],
  ])('%s', async (_, waitMs, count) => {
    const wrong = await wrongIn({ checker: latePayloadsAreIgnored }, async (scene) => {
      const { timeline, host } = scene.cloud;
      const event = { expiresAtMs: host.clock.now() + 10_000 };
      timeline.add('platform', 'invocation-accepted', { requestId: 'request-1', event });
      await scene.pass(waitMs);
      timeline.add('task#1', 'invocation-started', { requestId: 'request-1' });
      write(scene, 'task#1', 'claimMember', owner(1), owner(1));
    });

    expect(wrong).toHaveLength(count);
  });
});

describe('silent members stop', () => {
  it.each([
    ['a commit long after the last heartbeat is seen', { renews: false, frozenMs: 0 }, 1],
    ['who renews its slot may commit', { renews: true, frozenMs: 0 }, 0],
    ['who goes on after it stood still has not seen its clocks yet', { renews: false, frozenMs: 5_980 }, 0],
    ['who went on long ago has', { renews: false, frozenMs: 1_000 }, 1],
  ])('%s', async (_, { renews, frozenMs }, count) => {
    const wrong = await wrongIn({ checker: silentMembersStop }, async (scene) => {
      write(scene, 'task#1', 'claimMember', owner(1), owner(1));
      const producer = scene.initialise('task#1', TASK, 0);
      if (frozenMs > 0) scene.process('task#1').freeze(frozenMs);
      for (let beats = 0; beats < 20; beats += 1) {
        await scene.cloud.until(scene.cloud.time.nowMs + 300);
        if (renews) write(scene, 'task#1', 'heartbeat', owner(1), owner(1));
      }
      scene.commit('task#1', producer);
    });

    expect(wrong).toHaveLength(count);
  });
});

describe('sessions open in order', () => {
  const LEASE = ['leases', 'readLease'] as const;
  const OFFSETS = ['log', 'committedOffsets'] as const;
  const ENDS = ['log', 'listOffsets'] as const;

  it.each([
    ['lease, offsets and ends after the fence are in order', [LEASE, OFFSETS, ENDS], null],
    ['one that does not look at the lease is seen', [OFFSETS, ENDS], 'looked at the lease'],
    ['offsets that were read before the lease was looked at are seen', [OFFSETS, LEASE, ENDS], 'read the committed'],
    ['a restore without a high watermark is seen', [LEASE, OFFSETS], 'high watermark'],
  ])('%s', async (_, steps, wanted) => {
    const wrong = await wrongIn({ checker: sessionsOpenInOrder }, async (scene) => {
      const task = scene.witness.map.tasks.find(({ changelogs }) => changelogs.length > 0);
      if (task === undefined) throw new Error('nobody has a store');
      const { taskId, inputs, changelogs } = task;
      const args = {
        readLease: [taskId],
        committedOffsets: ['stress', inputs],
        listOffsets: [changelogs, 'highWatermark'],
      };
      const producer = scene.initialise('task#1', taskId, 0);
      for (const [port, method] of steps) scene.effect('task#1', { port, method, args: args[method] }, null);
      scene.commit('task#1', producer);
    });

    expect(wrong).toEqual(wanted === null ? [] : [expect.stringContaining(wanted)]);
  });
});
