/** A world of control planes in which copies matter: who has none of a task's store is not caught up. */
import type { MemberId, Plan } from '../../lib/leases/records.js';
import { offset } from '../../lib/model/offset.js';
import { RecordSetBuilder } from '../../lib/model/record-set-builder.js';
import type { TaskId } from '../../lib/model/task-id.js';
import { ControlPlaneWorld } from './control-plane-world.js';

const PARTITIONS = 4;
const RECORDS = 1_000;
/** Rounds within which a world of few members is at rest. */
export const SETTLED_WITHIN = 60;

/** Members at rest with their tasks; one warm-up at a time. */
export async function settledWorld(members = 3): Promise<ControlPlaneWorld> {
  const world = await ControlPlaneWorld.create({ members, acceptableRecoveryLag: 10, maxWarmupReplicas: 1 });
  await world.settle(SETTLED_WITHIN);
  return world;
}

/** The same, with many records in each changelog. */
export async function withLongChangelogs(members = 3): Promise<ControlPlaneWorld> {
  const world = await settledWorld(members);
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const records = new RecordSetBuilder();
    for (let record = 0; record < RECORDS; record += 1) records.append(Buffer.from(`${record}`), Buffer.from('1'), 0);
    await world.log.append({ topic: 'app-counts-changelog', partition }, records.build());
  }
  return world;
}

/** Has a member say that it has a copy that lacks so many records. */
export function reportCopy(world: ControlPlaneWorld, id: MemberId, taskId: TaskId, lag: number): void {
  const position = { taskId, store: 'counts', nextOffset: offset(RECORDS - lag), endOffset: offset(RECORDS) };
  const member = world.member(Number(id.slice('member-'.length)));
  member.reported = { positions: [...(member.reported.positions ?? []), position] };
}

/** The tasks with stores that a plan gives to a slot. */
export function statefulOf({ assignment }: Plan, id: MemberId): readonly TaskId[] {
  return (assignment[id]?.active ?? []).filter((taskId) => taskId.startsWith('1_'));
}

/** The warm-ups of a plan. */
export function warmupsOf({ assignment }: Plan): readonly { readonly id: MemberId; readonly taskId: TaskId }[] {
  const slots = Object.keys(assignment) as MemberId[];
  return slots.flatMap((id) => (assignment[id]?.warmup ?? []).map((taskId) => ({ id, taskId })));
}
