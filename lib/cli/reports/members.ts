import type { Member, MemberId, MemberStatus } from '../../leases/records.js';
import { isRun } from '../../leases/rules.js';
import type { ApplicationView } from '../application-view.js';

/** One slot, as `millrace members` shows it. */
export interface MemberRow {
  readonly memberId: MemberId;
  readonly status: MemberStatus;
  readonly incarnation: number;
  /** Whether the newest plan lists it. */
  readonly listed: boolean;
  /** Whether an operator drains it. */
  readonly drained: boolean;
  /** Tasks by the newest plan. */
  readonly active: number;
  readonly standby: number;
  readonly warmup: number;
  /** Tasks that it has said it runs; none, of a slot that nobody runs. */
  readonly running: number;
  readonly recordsProcessed: number;
  readonly heartbeatVersion: number;
  /** Newest plan that it was told of; 0: none. */
  readonly planNumber: number;
  readonly tags: Readonly<Record<string, string>>;
}

export interface MembersReport {
  readonly applicationId: string;
  readonly planNumber: number | null;
  readonly members: readonly MemberRow[];
}

/** All slots, by number. */
export async function reportMembers({ applicationId, leases }: ApplicationView): Promise<MembersReport> {
  const [members, plan] = await Promise.all([leases.listMembers(), leases.readPlan()]);
  const row = (member: Member): MemberRow => {
    const { memberId, status, incarnation, heartbeatVersion, planNumber, report, tags } = member;
    const held = plan?.assignment[memberId];
    return {
      memberId,
      status,
      incarnation,
      listed: held !== undefined,
      drained: member.drain !== undefined,
      active: held?.active.length ?? 0,
      standby: held?.standby.length ?? 0,
      warmup: held?.warmup.length ?? 0,
      running: isRun(member) ? report.running.length : 0,
      recordsProcessed: report.recordsProcessed,
      heartbeatVersion,
      planNumber,
      tags,
    };
  };
  return { applicationId, planNumber: plan?.number ?? null, members: members.map(row) };
}
