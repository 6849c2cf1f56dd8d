/**
 * The life of a slot, as pure transitions: what each write of {@link MemberTable} does to an item, and when it is refused.
 * Every adapter performs these and no others; a model checker walks the same table.
 *
 * ```
 *             create             claim               drain
 *    absent ───────────▶ free ───────────▶ claimed ───────────▶ draining
 *      ▲                 │  ▲              ▲  │ │ ▲               │ │ │
 *      │     delete      │  │     free     │  │ │ │     claim     │ │ │
 *      ├─────────────────┘  ├──────────────│──┘ │ └───────────────┘ │ │
 *      │                    │     free     │    │                   │ │
 *      │                    └──────────────│────│───────────────────┘ │
 *      │                             claim │    │ declareDead         │
 *      │     delete                        │    ▼     declareDead     │
 *      └────────────────────────────────── dead ◀─────────────────────┘
 * ```
 *
 * Invariants
 *   M1  the incarnation grows by one with each claim, never otherwise: a deleted slot leaves its number behind, and a slot
 *       that is created again under its name goes on from it (P1)
 *   M2  only the current incarnation heartbeats, drains, frees or is declared dead; a superseded one is always refused
 *   M3  while a slot is claimed nobody else can claim it: first it drains, ends or is declared dead
 *   M4  the heartbeat version grows by one with each heartbeat and starts at 0 with each claim
 *   M5  the announced plan number never shrinks
 *   M6  a death is declared for the heartbeat that was seen stand still: one more heartbeat and it is refused
 */
import type { Conditional } from './lease-store.js';
import type { Incarnation, Member, MemberId, MemberReport, MemberStatus } from './records.js';

/** What is left of a deleted slot, so that its incarnation numbers are never used again. Reads do not show it. */
export interface RetiredSlot extends Incarnation {
  readonly status: 'retired';
}

/** An item of the table of members. */
export type SlotItem = Member | RetiredSlot;

/** One conditional write. */
export type MemberCommand =
  | { readonly type: 'create'; readonly memberId: MemberId; readonly after?: number }
  | (Incarnation & {
      readonly type: 'claim';
      readonly report: MemberReport;
      readonly tags: Readonly<Record<string, string>>;
    })
  | (Incarnation & { readonly type: 'heartbeat'; readonly report: MemberReport })
  | (Incarnation & { readonly type: 'drain' | 'free' | 'delete' })
  | (Incarnation & { readonly type: 'declareDead'; readonly heartbeatVersion: number })
  | { readonly type: 'announcePlan'; readonly memberId: MemberId; readonly planNumber: number };

interface Transition {
  /** Statuses in which the write can apply. */
  readonly from: readonly (MemberStatus | 'absent')[];
  /** Status after it; `same` keeps it. */
  readonly to: MemberStatus | 'same' | 'absent';
}

/** The table of the picture above; the other conditions (incarnation, version, number) stand in `meetsCondition`. */
export const MEMBER_TRANSITIONS: Readonly<Record<MemberCommand['type'], Transition>> = {
  create: { from: ['absent'], to: 'free' },
  claim: { from: ['free', 'draining', 'dead'], to: 'claimed' },
  heartbeat: { from: ['claimed', 'draining'], to: 'same' },
  drain: { from: ['claimed'], to: 'draining' },
  free: { from: ['claimed', 'draining'], to: 'free' },
  declareDead: { from: ['claimed', 'draining'], to: 'dead' },
  announcePlan: { from: ['free', 'claimed', 'draining', 'dead'], to: 'same' },
  delete: { from: ['free', 'dead'], to: 'absent' },
};

/** The report of a slot that nobody has claimed yet. */
export const EMPTY_REPORT: MemberReport = Object.freeze({ running: [], positions: [], recordsProcessed: 0 });

/** What a write answers, and the item after it (null: there never was one). */
export interface MemberStep {
  readonly answer: Conditional<Member>;
  readonly after: SlotItem | null;
}

/**
 * Applies one conditional write to an item.
 *
 * @param before the item of the slot that the command names, or null
 */
export function stepMember(before: SlotItem | null, command: MemberCommand): MemberStep {
  const present = before !== null && before.status !== 'retired' ? before : null;
  const { from, to } = MEMBER_TRANSITIONS[command.type];
  if (!from.includes(present?.status ?? 'absent')) return refused(before, present);
  if (present === null) {
    const after = command.type === 'create' ? command.after : undefined;
    const created = newSlot(command.memberId, before?.incarnation ?? after ?? 0);
    return { answer: { applied: true, item: created }, after: created };
  }
  if (!meetsCondition(present, command)) return refused(before, present);
  if (to === 'absent') {
    const { memberId, incarnation } = present;
    return { answer: { applied: true, item: present }, after: { memberId, incarnation, status: 'retired' } };
  }
  const item: Member = { ...present, ...changes(present, command), status: to === 'same' ? present.status : to };
  return { answer: { applied: true, item }, after: item };
}

function refused(before: SlotItem | null, present: Member | null): MemberStep {
  return { answer: { applied: false, item: present }, after: before };
}

function newSlot(memberId: MemberId, incarnation: number): Member {
  return { memberId, incarnation, status: 'free', heartbeatVersion: 0, planNumber: 0, report: EMPTY_REPORT, tags: {} };
}

function meetsCondition(item: Member, command: MemberCommand): boolean {
  switch (command.type) {
    case 'create':
      return true;
    case 'claim':
      return item.incarnation === command.incarnation - 1;
    case 'declareDead':
      return item.incarnation === command.incarnation && item.heartbeatVersion === command.heartbeatVersion;
    case 'announcePlan':
      return item.planNumber < command.planNumber;
    case 'heartbeat':
    case 'drain':
    case 'free':
    case 'delete':
      return item.incarnation === command.incarnation;
  }
}

function changes(item: Member, command: MemberCommand): Partial<Member> {
  switch (command.type) {
    case 'claim': {
      const { incarnation, report, tags } = command;
      return { incarnation, report, tags, heartbeatVersion: 0 };
    }
    case 'heartbeat':
      return { report: command.report, heartbeatVersion: item.heartbeatVersion + 1 };
    case 'announcePlan':
      return { planNumber: command.planNumber };
    case 'create':
    case 'drain':
    case 'free':
    case 'declareDead':
    case 'delete':
      return {};
  }
}
