/** Tables that are slow, refuse, lose their answers, or lose an item. */
import type { Conditional } from '../../../leases/lease-store.js';
import type { Incarnation } from '../../../leases/records.js';
import { UnavailableError } from '../../../model/errors.js';
import type { Cloud } from '../cloud.js';
import type { PortCall } from '../simulated-ports.js';
import { atCall, createWindow, named } from './at-call.js';
import { early, moment } from './draw.js';
import type { FaultKind } from './fault.js';

/** Longest that a call repeats what was refused (retrier.ts of the DynamoDB adapter: eight attempts, about half of it on average). */
const RETRIES_MOST_MS = 2_600;
/** A lost answer is noticed by the time-out of its request. */
const LOST_ANSWER_LEAST_MS = 50;
const LOST_ANSWER_MOST_MS = 2_000;
/** A window in which calls take long: some beats of a member. */
const SLOW_LEAST_MS = 500;
const SLOW_MOST_MS = 6_000;
/** How often each write is made, in a scenario without faults; heartbeats by far the most. */
const WRITES: readonly (readonly [method: string, most: number])[] = [
  ['heartbeat', 60],
  ['claimMember', 3],
  ['takeLease', 14],
  ['releaseLease', 12],
  ['recordTopics', 8],
  ['freeMember', 3],
  ['createMember', 2],
  ['announcePlan', 2],
  ['writePlan', 1],
  ['', 100],
];

const isOfTables = ({ port }: PortCall) => port === 'leases';

export const slowTable: FaultKind = {
  kind: 'slow-table',
  about:
    'for a while each call to the tables takes as long as it happens to, up to one and a half times the session time-out, so that calls of one process or of several overtake each other',
  make: (chance, size) => ({
    kind: 'slow-table',
    atMs: moment(chance, size),
    lengthMs: chance.between(SLOW_LEAST_MS, SLOW_MOST_MS),
    ms: chance.between(SLOW_LEAST_MS, size.sessionTimeoutMs * 1.5),
    before: chance.happens(0.5),
  }),
  activate(fault, cloud, fired) {
    const chance = cloud.chance(`slow-table/${String(fault.atMs)}`);
    const isOpen = createWindow(cloud, {
      atMs: Number(fault.atMs),
      lengthMs: Number(fault.lengthMs),
      matches: isOfTables,
      opened: (call, untilMs) => fired({ ...named(call), untilMs: untilMs + Number(fault.ms) }),
    });
    const hook = (call: PortCall) =>
      isOpen(call) ? cloud.time.clock.sleep(chance.next() * Number(fault.ms)) : undefined;
    return fault.before === true ? { before: hook } : { after: hook };
  },
};

export const tableThrottled: FaultKind = {
  kind: 'table-throttled',
  about:
    'for up to twice the session time-out calls to the tables are refused, all or some, however often they are repeated',
  make: (chance, size) => ({
    kind: 'table-throttled',
    atMs: moment(chance, size),
    lengthMs: chance.between(100, 2 * size.sessionTimeoutMs),
    share: chance.pick([1, 0.7, 0.3]),
  }),
  activate(fault, cloud, fired) {
    const chance = cloud.chance(`table-throttled/${String(fault.atMs)}`);
    const isOpen = createWindow(cloud, {
      atMs: Number(fault.atMs),
      lengthMs: Number(fault.lengthMs),
      matches: isOfTables,
      opened: (call, untilMs) => fired({ ...named(call), untilMs: untilMs + RETRIES_MOST_MS }),
    });
    const repeatInVain = async (call: PortCall) => {
      await cloud.time.clock.sleep(chance.next() * RETRIES_MOST_MS);
      if (!isOpen(call)) return; // the last repetition was taken
      throw new UnavailableError(`${call.method}: the table is throttled`, { details: { outcome: 'not written' } });
    };
    return { before: (call) => (isOpen(call) && chance.happens(Number(fault.share)) ? repeatInVain(call) : undefined) };
  },
};

export const tableReplyLost: FaultKind = {
  kind: 'table-reply-lost',
  about: 'a conditional write takes effect and its answer is lost: the caller hears it late from the item, or never',
  make: (chance) => {
    const [method, most] = chance.pick(WRITES);
    return {
      kind: 'table-reply-lost',
      method,
      write: early(chance, most),
      ms: chance.between(LOST_ANSWER_LEAST_MS, LOST_ANSWER_MOST_MS),
      readBack: chance.happens(0.5),
    };
  },
  activate(fault, cloud, fired) {
    const isWrite = (call: PortCall) =>
      isOfTables(call) && !call.reads && (fault.method === '' || call.method === fault.method);
    const lost = atCall(Number(fault.write), isWrite, (call) => {
      fired({ ...named(call), readBack: fault.readBack === true });
      return true;
    });
    return {
      answer: (call, answer) =>
        lost(call) === true
          ? fault.readBack === true
            ? readBack(cloud, call, answer as Conditional<unknown> | undefined, Number(fault.ms))
            : neverHeard(cloud, call, Number(fault.ms))
          : undefined,
    };
  },
};

async function neverHeard(cloud: Cloud, { method }: PortCall, ms: number): Promise<never> {
  await cloud.time.clock.sleep(ms);
  throw new UnavailableError(`${method}: no answer`, { details: { outcome: 'unknown' } });
}

/** What the DynamoDB adapter answers (W3 of table.ts): whether its mark is in the item, as that stands by then. */
async function readBack(
  cloud: Cloud,
  call: PortCall,
  answer: Conditional<unknown> | undefined, // history answers nothing
  ms: number,
): Promise<unknown> {
  await cloud.time.clock.sleep(ms);
  if (answer?.applied !== true) return answer;
  const seen = await itemNow(cloud, call);
  if (seen === null) return answer;
  const isLater = (seen as Partial<Incarnation>).incarnation !== (answer.item as Partial<Incarnation>).incarnation;
  return { applied: !isLater, item: seen };
}

async function itemNow({ leases }: Cloud, { method, args }: PortCall): Promise<unknown> {
  const [first] = args;
  if (method === 'writePlan') return null; // a plan is answered as it was written
  const key = typeof first === 'string' ? first : (first as { readonly memberId?: string; readonly taskId?: string });
  if (typeof key !== 'string' && key.taskId !== undefined)
    return (await leases.listLeases()).find(({ taskId }) => taskId === key.taskId) ?? null;
  const id = typeof key === 'string' ? key : key.memberId;
  return (await leases.listMembers()).find(({ memberId }) => memberId === id) ?? null;
}

export const rowDeleted: FaultKind = {
  kind: 'row-deleted',
  about: 'somebody deletes the item of a member or of a lease by hand',
  weight: 0.5,
  make: (chance, size) => ({
    kind: 'row-deleted',
    table: chance.pick(['members', 'leases']),
    atMs: moment(chance, size),
    row: chance.below(1_000),
  }),
  activate: (fault, cloud, fired) => ({
    begin: () =>
      cloud.inBackground(
        cloud.tryUntilCalm(Number(fault.atMs), async () => {
          const { leases } = cloud;
          const members = fault.table === 'members' ? await leases.listMembers() : [];
          const tasks = fault.table === 'leases' ? await leases.listLeases() : [];
          const member = members[Number(fault.row) % members.length];
          const lease = tasks[Number(fault.row) % tasks.length];
          // Not drawn: scenes ask for it.
          if (fault.table === 'plans' && leases.deleteItem('plans', 'newest')) {
            fired({ plan: 'newest' });
            return true;
          }
          if (member !== undefined && leases.deleteItem('members', member.memberId)) fired({ member });
          if (lease !== undefined && leases.deleteItem('leases', lease.taskId)) fired({ lease });
          return member !== undefined || lease !== undefined;
        }),
      ),
  }),
};
