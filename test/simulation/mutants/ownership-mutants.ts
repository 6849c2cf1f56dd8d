import type { Edit, Mutant } from './mutant.js';

const RULES = 'lib/leases/rules.ts';
const SLOTS = 'lib/leases/member-transitions.ts';

/** Stands before others that are redundant as long as an owner that was silent too long has stopped by itself. */
export const NO_SELF_STOP: Edit = {
  file: 'lib/runtime/heartbeat.ts',
  find: '    const { sessionTimeoutMs } = app.settings;',
  replace: '    const sessionTimeoutMs = app.settings.sessionTimeoutMs * 1_000_000;',
};

/** What keeps a task with one member, and a slot with one incarnation. */
export const ownershipMutants: readonly Mutant[] = [
  {
    name: 'self-stop',
    protects: 'B2: who could not renew for the session time-out stops by itself (traps 40)',
    edits: [NO_SELF_STOP],
  },
  {
    name: 'slot-claim-condition',
    protects: 'M1, M3: a slot is claimed by one invocation at its next incarnation; two would be one member (traps 44)',
    edits: [
      {
        file: SLOTS,
        find: "claim: { from: ['free', 'draining', 'dead']",
        replace: "claim: { from: ['free', 'claimed', 'draining', 'dead']",
      },
      {
        file: SLOTS,
        find: 'return item.incarnation === command.incarnation - 1;',
        replace: 'return item.incarnation <= command.incarnation;',
      },
      {
        file: 'lib/leases/slots.ts',
        find: "return member.memberId === memberId && member.status !== 'claimed' && member.incarnation + 1 === incarnation;",
        replace: 'return member.memberId === memberId && member.incarnation <= incarnation;',
      },
    ],
  },
  {
    name: 'late-claim',
    protects:
      'M1: a late or repeated invocation finds its incarnation taken and ends; else it takes the slot from the living',
    edits: [
      {
        file: SLOTS,
        find: "claim: { from: ['free', 'draining', 'dead']",
        replace: "claim: { from: ['free', 'claimed', 'draining', 'dead']",
      },
      {
        file: SLOTS,
        find: 'return item.incarnation === command.incarnation - 1;',
        replace: 'return command.incarnation > 0;',
      },
    ],
  },
  {
    name: 'slot-after-leases',
    protects:
      'P1, V7: a slot whose item was deleted by hand begins after all that it ever had; else it can not take its own, or two are one member',
    edits: [
      {
        file: 'lib/scheduler/membership.ts',
        find: 'return before?.assignment[id] === undefined ? named : Math.max(named, Math.floor(nowMs));',
        replace: 'return before?.assignment[id] === undefined ? named : Math.max(named, 0 * nowMs);',
      },
      {
        file: RULES,
        find: 'own.map((one) => one?.incarnation ?? 0),',
        replace: 'own.map((one) => 0 * (one?.incarnation ?? 0)),',
      },
    ],
  },
  {
    name: 'take-condition',
    protects: 'E1: a lease is taken only as it was read; else two that read it free both hold it for a while',
    edits: [
      {
        file: 'lib/leases/lease-transitions.ts',
        find: 'if (!isAsExpected(before, command.expected)) return { applied: false, item: before };',
        replace:
          'if (command.taskId.length === 0) return { applied: isAsExpected(before, command.expected), item: before } as Conditional<Lease>;',
      },
    ],
  },
  {
    name: 'take-from-living',
    protects: 'R2: what another slot holds is taken only once its owner is declared dead; else a move is a fence',
    edits: [
      {
        file: RULES,
        find: "return isDeclaredDead(plan, owner) ? { may: true, because: 'dead' } : { may: false, because: 'held' };",
        replace: "return { may: true, because: 'dead' };",
      },
    ],
  },
  {
    name: 'grant-rule',
    protects: 'R4: a doorbell leaves alone what is held or granted to a live member (traps 44)',
    given: [
      {
        file: 'lib/runtime/grants.ts',
        find: 'return wanted.has(taskId) && !isGranted;',
        replace: 'return wanted.has(taskId) && (!isGranted || wanted.size > 0);',
      },
    ],
    edits: [
      {
        file: RULES,
        find: "return grantedToLive ? { may: false, because: 'granted-to-live-member' } : { may: true, because: 'free' };",
        replace: "return { may: true, because: grantedToLive ? 'own' : 'free' };",
      },
      {
        file: RULES,
        find: "if (lease !== null && lease.owner !== null) return { may: false, because: 'held' };",
        replace: "if (lease !== null && lease.epoch < 0) return { may: false, because: 'held' };",
      },
    ],
  },
  {
    name: 'release-condition',
    protects: 'E2: only the owner of the current epoch releases; else a zombie frees the lease of its successor',
    edits: [
      {
        file: 'lib/leases/lease-transitions.ts',
        find: 'if (before === null || before.epoch !== command.epoch || !isSameIncarnation(before.owner, command.owner)) {',
        replace: 'if (before === null) {',
      },
    ],
  },
  {
    name: 'payload-expiry',
    protects: 'an event that comes late is ignored; else members run that nobody wants any more (traps 44)',
    edits: [
      {
        file: 'lib/lambda/warm-start.ts',
        find: 'if (!isExpired(payload, nowMs)) return true;',
        replace: 'if (!isExpired(payload, nowMs) || nowMs > 0) return true;',
      },
    ],
  },
  {
    name: 'drain-before-deadline',
    protects: 'M4: a member hands over before its deadline; else it is killed in the midst of its work',
    edits: [
      {
        file: 'lib/runtime/run-member.ts',
        find: '    this.drainAtMs = this.startedMs + leftMs - Math.min(DRAIN_LEAD_MOST_MS, leftMs * DRAIN_LEAD_PART);',
        replace:
          '    this.drainAtMs = this.startedMs + leftMs * 1_000 + Math.min(DRAIN_LEAD_MOST_MS, DRAIN_LEAD_PART);',
      },
    ],
  },
];
