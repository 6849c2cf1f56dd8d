/** How often each transition of the ownership protocol was made in a run, refused writes by their command. */
import type { Conditional } from '../../leases/lease-store.js';
import type { LeaseCommand } from '../../leases/lease-transitions.js';
import type { MemberCommand } from '../../leases/member-transitions.js';
import { LEASE_TRANSITIONS, leaseTransition, SLOT_TRANSITIONS, slotTransition } from '../../leases/protocol.js';
import type { Lease, Member, MemberId, Plan } from '../../leases/records.js';
import { slotsWantedBy } from '../../leases/slots.js';
import type { TaskId } from '../../model/task-id.js';
import type { Effect } from './simulated-ports.js';

const SLOT_COMMANDS: ReadonlyMap<string, MemberCommand['type']> = new Map([
  ['createMember', 'create'],
  ['claimMember', 'claim'],
  ['heartbeat', 'heartbeat'],
  ['drainMember', 'drain'],
  ['freeMember', 'free'],
  ['declareDead', 'declareDead'],
  ['announcePlan', 'announcePlan'],
  ['deleteMember', 'delete'],
]);
const LEASE_COMMANDS: ReadonlyMap<string, LeaseCommand['type']> = new Map([
  ['takeLease', 'take'],
  ['releaseLease', 'release'],
]);
const WRITE_PLAN = 'write a plan';
/** What a scheduler does that decides by itself how many members are wanted. */
const SCALING = { out: 'scale out', in: 'scale in' } as const;
const RECORD_TOPICS = 'record topics';
const PROMOTIONS = { standby: 'promote a standby', warmup: 'promote a warm-up' } as const;
const refused = (command: string) => `refused: ${command}`;

/** All names that a run may count, in the order of the report. */
export const TRANSITIONS: readonly string[] = [
  ...SLOT_TRANSITIONS,
  ...LEASE_TRANSITIONS,
  RECORD_TOPICS,
  ...Object.values(PROMOTIONS),
  WRITE_PLAN,
  ...Object.values(SCALING),
  ...[...SLOT_COMMANDS.values(), ...LEASE_COMMANDS.values(), WRITE_PLAN].map(refused),
];

export class ProtocolCoverage {
  private readonly counted = new Map<string, number>();
  private readonly slots = new Map<MemberId, Member>();
  private readonly leases = new Map<TaskId, Lease>();
  private plan: Plan | null = null;
  /** By slot and task: what it was last to copy, until it takes the lease. */
  private readonly copies = new Map<string, keyof typeof PROMOTIONS>();

  /** Times by name of the transition; one that was never made is absent. */
  get counts(): ReadonlyMap<string, number> {
    return this.counted;
  }

  hear(effect: Effect): void {
    if (effect.port !== 'leases' || effect.reads || !effect.ok) return;
    const { method, args, answer } = effect;
    const slot = SLOT_COMMANDS.get(method);
    const lease = LEASE_COMMANDS.get(method);
    if (slot !== undefined) this.slotWritten(slot, answer as Conditional<Member>);
    else if (lease !== undefined)
      this.leaseWritten({ ...(args[0] as object), type: lease } as LeaseCommand, answer as Conditional<Lease>);
    else if (method === 'recordTopics' && (answer as Conditional<Lease>).applied) this.count(RECORD_TOPICS);
    else if (method === 'writePlan') this.planWritten(answer as Conditional<Plan>);
  }

  private slotWritten(command: MemberCommand['type'], { applied, item }: Conditional<Member>): void {
    if (!applied) {
      this.count(refused(command));
      return;
    }
    this.count(slotTransition(this.slots.get(item.memberId) ?? null, { type: command }));
    if (command === 'delete') this.slots.delete(item.memberId);
    else this.slots.set(item.memberId, item);
  }

  private leaseWritten(command: LeaseCommand, { applied, item }: Conditional<Lease>): void {
    if (!applied) {
      this.count(refused(command.type));
      return;
    }
    this.count(leaseTransition(this.leases.get(item.taskId) ?? null, command, this.plan));
    this.leases.set(item.taskId, item);
    if (command.type === 'take' && item.owner !== null) this.promoted(`${item.owner.memberId} ${item.taskId}`);
  }

  private planWritten({ applied, item }: Conditional<Plan>): void {
    this.count(applied ? WRITE_PLAN : refused(WRITE_PLAN));
    if (applied) this.scaled(this.plan, item);
    this.plan = item;
    for (const [memberId, held] of Object.entries(item?.assignment ?? {}))
      for (const role of ['standby', 'warmup'] as const)
        for (const taskId of held[role]) this.copies.set(`${memberId} ${taskId}`, role);
  }

  private scaled(before: Plan | null, { number, elastic, ...next }: Plan): void {
    if (before === null || elastic?.changedIn !== number) return;
    const more = slotsWantedBy(next).length - slotsWantedBy(before).length;
    if (more !== 0) this.count(more > 0 ? SCALING.out : SCALING.in);
  }

  private promoted(copy: string): void {
    const role = this.copies.get(copy);
    if (role !== undefined) this.count(PROMOTIONS[role]);
    this.copies.delete(copy);
  }

  private count(name: string): void {
    this.counted.set(name, (this.counted.get(name) ?? 0) + 1);
  }
}
