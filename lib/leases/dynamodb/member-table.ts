/** Slots as items, and each write of the port as the condition that DynamoDB checks. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Conditional, MemberTable } from '../lease-store.js';
import { EMPTY_REPORT } from '../member-transitions.js';
import type { DrainMark, Incarnation, Member, MemberId, MemberReport, MemberStatus } from '../records.js';
import { compareMemberIds } from '../slots.js';
import { complete, count, type Item, ItemReader, json, text } from './attributes.js';
import { drainOf, memberIdOf, reportOf, tagsOf } from './json-values.js';
import { packed, packedBytes } from './packed-text.js';
import type { Table, Update } from './table.js';

const STATUSES: readonly string[] = ['free', 'claimed', 'draining', 'dead'] satisfies MemberStatus[];
/** A deleted slot: the item stays, for its incarnation number. */
const RETIRED = 'retired';

/** Bytes of a report at most, as it is stored: an item of DynamoDB holds 400 KB, and a heartbeat must not fail for what it tells. */
export const MAX_REPORT_BYTES = 300 * 1024;

/** The table of members: key `memberId`. */
export function createMemberTable(table: Table): MemberTable {
  const write = async (update: Update): Promise<Conditional<Member>> => {
    const { applied, item } = await table.update(update);
    if (applied) return { applied, item: memberIn(table.name, item) };
    return { applied, item: item === null ? null : presentMember(table.name, item) };
  };
  return {
    async listMembers() {
      const members = (await table.list()).map((item) => presentMember(table.name, item));
      return members.filter((member) => member !== null).sort((a, b) => compareMemberIds(a.memberId, b.memberId));
    },
    async readMember(memberId) {
      const item = await table.read(text(memberId));
      return item === null ? null : presentMember(table.name, item);
    },
    createMember: (memberId, after = 0) => write(create(memberId, after)),
    claimMember: (claimed) => write(claim(claimed)),
    heartbeat: (beat) => write(heartbeat(beat)),
    drainMember: (member) => write(drain(member)),
    freeMember: (member) => write(free(member)),
    declareDead: (member) => write(declareDead(member)),
    announcePlan: (memberId, planNumber) => write(announcePlan(memberId, planNumber)),
    markDrain: (memberId, drain) => write(markDrain(memberId, drain)),
    deleteMember: (member) => write(retire(member)),
  };
}

/**
 * `attribute_not_exists(memberId)`: there never was such a slot, or somebody deleted its item; it starts at incarnation `after`.
 * `status = retired`: there was one, deleted; its incarnation goes on (P1), all else starts anew.
 */
function create(memberId: MemberId, after: number): Update {
  return {
    kind: 'create',
    key: text(memberId),
    condition: 'attribute_not_exists(#memberId) OR #status = :retired',
    set: [
      '#status = :free',
      '#incarnation = if_not_exists(#incarnation, :after)',
      '#heartbeatVersion = :zero',
      '#planNumber = :zero',
      '#report = :report',
      '#tags = :tags',
    ],
    remove: ['#lastStatus', '#drain'],
    values: {
      retired: text(RETIRED),
      free: text('free'),
      zero: count(0),
      after: count(after),
      report: json(EMPTY_REPORT),
      tags: json({}),
    },
  };
}

/**
 * `status IN (free, draining, dead)`: nobody runs it, or who does is handing over (M3); an absent or retired slot is neither.
 * `incarnation = ours − 1`: nobody has claimed it since we chose it, so that our number is new (P1).
 */
function claim({ memberId, incarnation, report, tags }: Parameters<MemberTable['claimMember']>[0]): Update {
  return {
    kind: 'claim',
    key: text(memberId),
    condition: '#status IN (:free, :draining, :dead) AND #incarnation = :previous',
    set: [
      '#status = :claimed',
      '#incarnation = :incarnation',
      '#heartbeatVersion = :zero',
      '#report = :report',
      '#tags = :tags',
    ],
    values: {
      ...statuses('free', 'draining', 'dead', 'claimed'),
      previous: count(incarnation - 1),
      incarnation: count(incarnation),
      zero: count(0),
      report: fitting(report),
      tags: json(tags),
    },
  };
}

/**
 * `status IN (claimed, draining)`: the incarnation runs; one that ended or was declared dead stays so.
 * `incarnation = ours`: a superseded one renews nothing (M2). The version grows in the table, by exactly one (M4).
 */
function heartbeat({ memberId, incarnation, report }: Parameters<MemberTable['heartbeat']>[0]): Update {
  return {
    kind: 'heartbeat',
    key: text(memberId),
    condition: `${RUNS} AND ${IS_CURRENT}`,
    set: ['#heartbeatVersion = #heartbeatVersion + :one', '#report = :report'],
    values: {
      ...statuses('claimed', 'draining'),
      incarnation: count(incarnation),
      one: count(1),
      report: fitting(report),
    },
  };
}

/** `status = claimed`: it drains once. `incarnation = ours`: nobody opens the slot of a successor (M2). */
function drain({ memberId, incarnation }: Incarnation): Update {
  return {
    kind: 'drain',
    key: text(memberId),
    condition: `#status = :claimed AND ${IS_CURRENT}`,
    set: ['#status = :draining'],
    values: { ...statuses('claimed', 'draining'), incarnation: count(incarnation) },
  };
}

/** `status IN (claimed, draining)`: it ends once, and not after its death. `incarnation = ours`: a successor runs on (M2). */
function free({ memberId, incarnation }: Incarnation): Update {
  return {
    kind: 'free',
    key: text(memberId),
    condition: `${RUNS} AND ${IS_CURRENT}`,
    set: ['#status = :free'],
    values: { ...statuses('claimed', 'draining', 'free'), incarnation: count(incarnation) },
  };
}

/**
 * `status IN (claimed, draining)` and `incarnation`: what was seen stand still is still current (M2).
 * `heartbeatVersion`: it has not renewed since; one heartbeat more and it lives (M6).
 */
function declareDead(member: Parameters<MemberTable['declareDead']>[0]): Update {
  const { memberId, incarnation, heartbeatVersion } = member;
  return {
    kind: 'declareDead',
    key: text(memberId),
    condition: `${RUNS} AND ${IS_CURRENT} AND #heartbeatVersion = :heartbeatVersion`,
    set: ['#status = :dead'],
    values: {
      ...statuses('claimed', 'draining', 'dead'),
      incarnation: count(incarnation),
      heartbeatVersion: count(heartbeatVersion),
    },
  };
}

/**
 * `status <> retired`, of an item that exists: plans are announced to slots.
 * `planNumber < new`: of two schedulers that announce, the newer plan stays, in whatever order they write (M5).
 */
function announcePlan(memberId: MemberId, planNumber: number): Update {
  return {
    kind: 'announcePlan',
    key: text(memberId),
    condition: 'attribute_exists(#memberId) AND #status <> :retired AND #planNumber < :planNumber',
    set: ['#planNumber = :planNumber'],
    values: { retired: text(RETIRED), planNumber: count(planNumber) },
  };
}

/** `status <> retired`, of an item that exists: slots are drained. No other condition: the operator's last word stays. */
function markDrain(memberId: MemberId, drain: DrainMark | null): Update {
  return {
    kind: 'markDrain',
    key: text(memberId),
    condition: 'attribute_exists(#memberId) AND #status <> :retired',
    set: drain === null ? [] : ['#drain = :drain'],
    remove: drain === null ? ['#drain'] : [],
    values: { retired: text(RETIRED), ...(drain === null ? {} : { drain: json(drain) }) },
  };
}

/**
 * `status IN (free, dead)`: nobody runs it. `incarnation`: nobody has run it since it was found unwanted.
 * The item stays as a gravestone, so that the slot's incarnations are never used again (P1).
 */
function retire({ memberId, incarnation }: Incarnation): Update {
  return {
    kind: 'delete',
    key: text(memberId),
    condition: `#status IN (:free, :dead) AND ${IS_CURRENT}`,
    set: ['#lastStatus = #status', '#status = :retired'],
    values: { ...statuses('free', 'dead'), retired: text(RETIRED), incarnation: count(incarnation) },
  };
}

const RUNS = '#status IN (:claimed, :draining)';
const IS_CURRENT = '#incarnation = :incarnation';

function statuses(...names: MemberStatus[]): Record<string, AttributeValue> {
  return Object.fromEntries(names.map((name) => [name, text(name)]));
}

/**
 * As much of a report as an item holds. Positions are hints, which stores are where; the last ones go, those of stores that do
 * not run but are kept in memory among them.
 */
function fitting(report: MemberReport): AttributeValue {
  for (let positions = report.positions; ; positions = positions.slice(0, Math.floor(positions.length / 2))) {
    const value = packed(JSON.stringify({ ...report, positions }));
    if (packedBytes(value) <= MAX_REPORT_BYTES || positions.length === 0) return value;
  }
}

/** Null for a gravestone. */
function presentMember(table: string, item: Item): Member | null {
  return new ItemReader(table, item).text('status') === RETIRED ? null : memberIn(table, item);
}

/** The member in an item; that which lies under a gravestone as it was. */
function memberIn(table: string, item: Item): Member {
  const reader = new ItemReader(table, item);
  return complete<Member>({
    memberId: reader.parsed('memberId', memberIdOf),
    incarnation: reader.count('incarnation'),
    status: reader.parsed(reader.has('lastStatus') ? 'lastStatus' : 'status', statusOf),
    heartbeatVersion: reader.count('heartbeatVersion'),
    planNumber: reader.count('planNumber'),
    report: reader.json('report', reportOf),
    tags: reader.json('tags', tagsOf),
    drain: reader.has('drain') ? reader.json('drain', drainOf) : undefined,
  });
}

function statusOf(status: string): MemberStatus {
  if (!STATUSES.includes(status)) throw new TypeError(`'${status}' is no status`);
  return status as MemberStatus;
}
