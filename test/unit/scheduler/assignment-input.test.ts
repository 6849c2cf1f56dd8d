/** What the scheduler tells an assignor of copies, zones and lengths of changelogs. */
import { describe, expect, it } from 'vitest';
import { steady } from '../../../lib/assignment/steady/steady.js';
import { type AssignmentInput, RUNNING_LAG, type TaskAssignor } from '../../../lib/assignment/task-assignor.js';
import type { StorePosition } from '../../../lib/leases/records.js';
import { UnavailableError } from '../../../lib/model/errors.js';
import { offset } from '../../../lib/model/offset.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { parseTaskId } from '../../../lib/model/task-id.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { ControlPlaneWorld, type TickOptions } from '../../support/control-plane-world.js';

const BOUND = 60;
const CHANGELOG = 'app-counts-changelog';
const counting = parseTaskId('1_0').id;

/** `steady`, and what it was asked. */
function listening(followUp = false): { readonly assignor: TaskAssignor; readonly asked: AssignmentInput[] } {
  const asked: AssignmentInput[] = [];
  const assign: TaskAssignor['assign'] = (input) => {
    asked.push(input);
    return { ...steady.assign(input), followUp };
  };
  return { assignor: { name: 'listening', assign }, asked };
}

const write = async (world: ControlPlaneWorld, partition: number, count: number): Promise<void> => {
  const records = new RecordSetBuilder();
  for (let index = 0; index < count; index += 1) records.append(Buffer.from(`${index}`), Buffer.from('v'), 0);
  await world.log.append({ topic: CHANGELOG, partition }, records.build());
};

const position = (nextOffset: number): StorePosition => ({
  taskId: counting,
  store: 'counts',
  nextOffset: offset(nextOffset),
  endOffset: offset(nextOffset),
});

/** Two members over one task of each kind, settled under an assignor that is asked on every tick. */
async function scene(settings = {}) {
  const { assignor, asked } = listening(true);
  const world = await ControlPlaneWorld.create({ members: 2, assignor: 'listening', ...settings }, 1);
  const options: TickOptions = { assignors: [assignor] };
  for (let round = 0; round < 6; round += 1) await world.round(options);
  const last = (): AssignmentInput => asked.at(-1) as AssignmentInput;
  const lagOn = (number: number): number | undefined =>
    last()
      .members.find(({ id }) => id === `member-${number}`)
      ?.lags.get(counting);
  const owner = (await world.owners())[counting] === 'member-1' ? 1 : 2;
  return { world, options, last, lagOn, owner, other: 3 - owner };
}

describe('the lag of a copy', () => {
  it('is none, but that of a running task, where the member runs the task', async () => {
    const { lagOn, owner, other } = await scene();

    expect(lagOn(owner)).toBe(RUNNING_LAG);
    expect(lagOn(other)).toBe(undefined);
  });

  it('is counted to the end of the changelog as it is now, not as the member has seen it', async () => {
    const { world, options, lagOn, other } = await scene();
    world.member(other).reported = { positions: [position(30)] };
    await write(world, 0, 100);

    await world.round(options);
    await world.round(options);

    expect(lagOn(other)).toBe(70);
  });

  it('of a copy that is at the end is 0', async () => {
    const { world, options, lagOn, other } = await scene();
    await write(world, 0, 100);
    world.member(other).reported = { positions: [position(100)] };

    await world.round(options);
    await world.round(options);

    expect(lagOn(other)).toBe(0);
  });

  it('is not known of a task that its owner is still restoring', async () => {
    const { world, options, lagOn, owner } = await scene();
    world.member(owner).reported = { restores: [{ taskId: counting, state: 'restoring', leftBytes: 0 }] };

    await world.round(options);
    await world.round(options);

    expect(lagOn(owner)).toBe(undefined);
  });

  it('of a task whose lease was taken since the last heartbeat is that of a running one, so that it is not moved back', async () => {
    const { world, options, lagOn, owner } = await scene();
    world.member(owner).reported = { running: [], positions: [position(0)] };
    await write(world, 0, 100);

    await world.round(options);
    await world.round(options);

    expect(lagOn(owner)).toBe(RUNNING_LAG);
  });
});

describe('the lag of a task whose member hands over to the next incarnation of its slot', () => {
  /** The owner drains, works on, and its successor has claimed the slot. */
  async function handingOver() {
    const parts = await scene();
    const { world, owner } = parts;
    const process = world.member(owner);
    process.isFrozen = true;
    const { memberId, incarnation } = process.self;
    const next = { memberId, incarnation: incarnation + 1 };
    const report = { running: [], positions: [position(0)], recordsProcessed: 0 };
    await world.leases.drainMember(process.self);
    await world.leases.claimMember({ ...next, report, tags: {} });
    await write(world, 0, 100);
    return { ...parts, next, report };
  }

  it('is that of a running one while the successor copies the stores', async () => {
    const { world, options, lagOn, owner } = await handingOver();

    await world.round(options);

    expect(lagOn(owner)).toBe(RUNNING_LAG);
  });

  it('is that of its copy once the successor is ready for the plan and has not taken it', async () => {
    const { world, options, lagOn, owner, next, report } = await handingOver();

    await world.leases.heartbeat({ ...next, report: { ...report, planRead: 1 } });
    await world.round(options);

    expect(lagOn(owner)).toBe(100);
  });
});

describe('the length of a changelog', () => {
  it('is what is between its start and its end; of one that is made by this tick 0', async () => {
    const { assignor, asked } = listening();
    const world = await ControlPlaneWorld.create({ members: 1, assignor: 'listening' }, 1);
    const lengths = () => asked.map(({ tasks }) => tasks.map((task) => task.changelogRecords));
    await world.settle(BOUND, 8, { assignors: [assignor] });
    expect(lengths()).toEqual([[0, 0]]);

    await write(world, 0, 50);
    await world.log.deleteRecords(new Map([[topicPartitionKey({ topic: CHANGELOG, partition: 0 }), offset(20)]]));
    world.wanted = 2;
    await world.settle(BOUND, 8, { assignors: [assignor] });

    expect(lengths().at(-1)).toEqual([0, 30]);
  });

  it('is not asked for while nothing is to be placed', async () => {
    const world = await ControlPlaneWorld.create({ members: 2 });
    await world.settle(BOUND);
    let calls = 0;

    for (let tick = 0; tick < 5; tick += 1) {
      await world.round({
        listOffsets: (of, spec) => {
          calls += 1;
          return world.log.listOffsets(of, spec);
        },
      });
    }

    expect(calls).toBe(0);
  });
});

describe('ends that can not be read', () => {
  const away: TickOptions['listOffsets'] = () => Promise.reject(new UnavailableError('the brokers are away'));
  const silent: TickOptions['listOffsets'] = () => new Promise(() => {});

  it('are unknown to the assignor, and asked for again by the next tick', async () => {
    const { assignor, asked } = listening();
    const world = await ControlPlaneWorld.create({ members: 2, assignor: 'listening' }, 1);
    await world.settle(BOUND, 8, { assignors: [assignor] });
    asked.length = 0;

    world.wanted = 3;
    await world.round({ assignors: [assignor] });
    await world.round({ assignors: [assignor], listOffsets: away });
    await world.settle(BOUND, 8, { assignors: [assignor] });

    expect(asked.map(({ lagsUnknown }) => lagsUnknown ?? false)).toEqual([true, false]);
    expect(asked[0]?.tasks.map((task) => task.changelogRecords)).toEqual([0, undefined]);
    expect((await world.leases.readPlan())?.followUp).toBe(false);
  });

  it.each([
    ['fail', away],
    ['do not come', silent],
  ])('keep no tick from replacing the dead where the answers %s', async (_, listOffsets) => {
    const world = await ControlPlaneWorld.create({ members: 3 });
    await world.settle(BOUND);
    const { self } = world.member(2);
    world.member(2).crash();

    const options = listOffsets === undefined ? {} : { listOffsets };
    let dead = false;
    for (let round = 0; round < 40 && !dead; round += 1) {
      const ticking = world.tick(options);
      await world.host.advance(world.app.settings.tickIntervalMs);
      await world.host.advance(world.app.settings.sessionTimeoutMs);
      await ticking;
      world.invocations.length = 0; // nobody comes back
      await world.membersAct();
      dead = (await world.loads())['member-2'] === undefined;
    }

    expect(self.memberId).toBe('member-2');
    expect(Object.values(await world.loads()).reduce((sum, load) => sum + load, 0)).toBe(8);
    expect(dead).toBe(true);
  });
});

describe('zones', () => {
  it('of partitions are the racks of the brokers that have them, those of members their tags', async () => {
    const { assignor, asked } = listening();
    const world = await ControlPlaneWorld.create({ members: 2, assignor: 'listening' }, 3, { brokerRacks: ['a', 'b'] });
    world.tagsOf = (memberId) => ({ zone: memberId === 'member-1' ? 'a' : 'b' });
    await world.settle(BOUND, 8, { assignors: [assignor] });
    world.wanted = 3;
    await world.settle(BOUND, 8, { assignors: [assignor] });

    const last = asked.at(-1);
    const zonesOf = (topic: string, partition: number) =>
      last?.partitionZones?.get(topicPartitionKey({ topic, partition }));
    expect(zonesOf('lines', 0)).toEqual(['a']);
    expect(zonesOf('lines', 1)).toEqual(['b']);
    expect(zonesOf(CHANGELOG, 2)).toEqual(['a']);
    expect(last?.members.map(({ zone }) => zone)).toEqual(['a', 'b', 'b']);
  });

  it('that the topics of a first plan have not yet are waited for, where the strategy goes by zones', async () => {
    const near = { rackAwareAssignmentStrategy: 'min_traffic', assignor: 'highAvailability' } as const;
    const world = await ControlPlaneWorld.create({ members: 2, ...near }, 4, { brokerRacks: ['a', 'b'] });
    world.tagsOf = (memberId) => ({ zone: memberId === 'member-1' ? 'a' : 'b' });

    await world.settle(BOUND);

    const owners = await world.owners();
    expect(['0_0', '0_2', '1_0', '1_2'].map((task) => owners[task])).toEqual(Array(4).fill('member-1'));
    expect(['0_1', '0_3', '1_1', '1_3'].map((task) => owners[task])).toEqual(Array(4).fill('member-2'));
    expect((await world.leases.readPlan())?.followUp).toBe(false);
  });
});
