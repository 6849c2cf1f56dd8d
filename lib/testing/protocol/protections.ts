/**
 * The protections of the ownership protocol, as switches of the model. The product has no such switches: each stands for a
 * condition, a rule or an order in the code, and the explorer shows what it is for by finding what goes wrong without it.
 */

/** Each protection: what the code does, and where. */
export const PROTECTIONS = {
  secondLook: 'the lease is looked at again after the producer was initialised (S2, open-session.ts)',
  offsetsAfterFence: 'committed offsets are read after the initialisation (S3, open-session.ts)',
  fencing: 'an initialisation fences every producer before it (Kafka, KIP-98)',
  newSession: 'after a commit whose fate is unknown the session ends and its position with it (T1, run-task.ts)',
  claimCondition: 'a slot is claimed only at the incarnation before, by one claim (M1, M3, member-transitions.ts)',
  takeCondition: 'a lease is taken only as it was read (E1, lease-transitions.ts)',
  releaseCondition: 'a lease is released only by its owner, in the epoch it took (E2, lease-transitions.ts)',
  grantRule: 'a member takes only what a plan grants it (R1, rules.ts)',
  deadRule: 'what another slot holds is taken only once a plan lists its owner as dead (R2, rules.ts)',
  doorbellRule: 'a doorbell leaves alone what a live member is granted (R4, rules.ts)',
  deathCondition: 'a death is declared for the heartbeat that was seen stand still (M6, member-transitions.ts)',
  lostDeathEndsTick: 'a death that was refused ends the tick that decided upon it (Y1, apply.ts)',
  leasesBeforeMembers: 'a tick lists leases before members, consistently (observe.ts)',
  planCondition: 'a plan is written only after the one it was made from (E4, lease-transitions.ts)',
  retiredNumbers: 'a deleted slot leaves its incarnation number behind (P1, member-transitions.ts)',
  selfStop: 'who could not renew for the session time-out stops by itself (B2, heartbeat.ts)',
  deadInPlan: 'a plan lists the dead whose leases it grants to others (N4, next-plan.ts)',
  announcement: 'members are told of a new plan (decide.ts)',
} as const;

export type ProtectionName = keyof typeof PROTECTIONS;
/** Which protections are on. */
export type Protections = Readonly<Record<ProtectionName, boolean>>;

export const PROTECTION_NAMES = Object.keys(PROTECTIONS) as readonly ProtectionName[];

/** The protocol as it is. */
export const ALL_PROTECTIONS: Protections = withoutSome([]);

/** The protocol without one protection. */
export function without(name: ProtectionName): Protections {
  return withoutSome([name]);
}

function withoutSome(off: readonly ProtectionName[]): Protections {
  const entries = PROTECTION_NAMES.map((name) => [name, !off.includes(name)] as const);
  return Object.freeze(Object.fromEntries(entries)) as Protections;
}
