/**
 * One text per state, equal for equal states: what an explorer remembers of the states it has seen. Each part of a state gets a
 * number the first time it is met, so a state is a dozen characters.
 */
import type { SlotItem } from '../../leases/member-transitions.js';
import type { Incarnation, Lease, Plan } from '../../leases/records.js';
import type { Action } from '../../scheduler/actions.js';
import type { Sight } from './application.js';
import type { Process, Run, State, Tick } from './state.js';

/** Numbers for the parts of the states of one exploration. */
export class StateKeys {
  private readonly numbers = new Map<string, number>();
  private readonly known = new WeakMap<object, number>();

  keyOf(state: State): string {
    const { slots, leases, plan, invoked, initialised, processes, ticks, wanted, disturbancesLeft } = state;
    const flags = (invoked[0] ? 1 : 0) + (invoked[1] ? 2 : 0) + wanted * 4 + disturbancesLeft * 16;
    const parts = [flags, initialised[0] * 64 + initialised[1]];
    for (const slot of slots) parts.push(this.numberOf(slot, keyOfSlot));
    for (const lease of leases) parts.push(this.numberOf(lease, keyOfLease));
    parts.push(this.numberOf(plan, keyOfPlan));
    const known = [
      ...processes.map((process) => this.numberOf(process, keyOfProcess)).sort(byNumber),
      -1,
      ...ticks.map((tick) => this.numberOf(tick, keyOfTick)).sort(byNumber),
    ];
    for (const number of known) parts.push((number + 1) >> 15, (number + 1) & 0x7fff);
    return String.fromCharCode(...parts);
  }

  private numberOf<T extends object>(part: T | null, keyOf: (part: T) => string): number {
    if (part === null) return 0;
    let number = this.known.get(part);
    if (number !== undefined) return number;
    const key = keyOf(part);
    number = this.numbers.get(key);
    if (number === undefined) {
      number = this.numbers.size + 1;
      this.numbers.set(key, number);
    }
    this.known.set(part, number);
    return number;
  }
}

export function keyOfActions(actions: readonly Action[]): string {
  return actions.map(keyOfAction).join('|');
}

export function keyOfSight(sight: Sight): string {
  const { members, still, leases, plan, isPlanOld, failed, wanted } = sight;
  return [
    members.map((member) => `${member.memberId}=${keyOfSlot(member)}`).join(),
    [...still].join(),
    leases.map((lease) => `${lease.taskId}=${keyOfLease(lease)}`).join(),
    plan === null ? '' : keyOfPlan(plan),
    isPlanOld,
    failed.map(keyOfIncarnation).join(),
    wanted,
  ].join(';');
}

function keyOfSlot(item: SlotItem): string {
  if (item.status === 'retired') return `r${item.incarnation}`;
  return `${item.status}${item.incarnation},${item.heartbeatVersion},${item.planNumber}`;
}

function keyOfLease({ epoch, owner }: Pick<Lease, 'epoch' | 'owner'>): string {
  return `e${epoch}${owner === null ? '' : keyOfIncarnation(owner)}`;
}

function keyOfIncarnation({ memberId, incarnation }: Incarnation): string {
  return `${memberId}#${incarnation}`;
}

/** Plans are few and met often. */
const planKeys = new WeakMap<Plan, string>();

function keyOfPlan(plan: Plan): string {
  let key = planKeys.get(plan);
  if (key !== undefined) return key;
  const { number, assignment, placedOver = [], followUp = false, dead } = plan;
  const grants = Object.entries(assignment).map(([id, { active }]) => `${id}:${active}`);
  key = `p${number}(${grants.join()};${placedOver.join()};${followUp};${dead.map(keyOfIncarnation).join()})`;
  planKeys.set(plan, key);
  return key;
}

function keyOfProcess({ slot, incarnation, isLate, stage, plan, wanted, runs }: Process): string {
  const known = plan === undefined ? '?' : plan === null ? '-' : keyOfPlan(plan);
  return `${slot}#${incarnation}${isLate ? 'late' : ''}${stage}${known}w${wanted ?? ''}${keyOfRun(runs[0])},${keyOfRun(runs[1])}`;
}

function keyOfRun(run: Run | null): string {
  if (run === null) return '';
  const { phase, expected, epoch, producer, position } = run;
  return `${phase}${expected === null ? '' : keyOfLease(expected)}/${epoch}${producer}${position}`;
}

function keyOfTick({ leases, members, actions }: Tick): string {
  const listed = leases?.map((lease) => `${lease.taskId}=${keyOfLease(lease)}`) ?? '-';
  const seen = members?.map((member) => `${member.memberId}=${keyOfSlot(member)}`) ?? '-';
  return `L${listed}M${seen}A${keyOfActions(actions)}`;
}

function keyOfAction(action: Action): string {
  switch (action.type) {
    case 'WritePlan':
      return `W${keyOfPlan(action.plan)}`;
    case 'DeclareDead':
      return `D${keyOfIncarnation(action)},${action.heartbeatVersion}${action.because}`;
    case 'AnnouncePlan':
      return `A${action.memberId},${action.planNumber}`;
    case 'CreateSlot':
      return `C${action.memberId}`;
    case 'InvokeMember':
      return `I${action.memberId},${action.incarnation}`;
    case 'RetireSlot':
      return `R${keyOfIncarnation(action)}`;
    default:
      return action.type;
  }
}

function byNumber(a: number, b: number): number {
  return a - b;
}
