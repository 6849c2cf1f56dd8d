/** What operators and the cloud's own services do while everything runs. */
import type { Cloud } from '../cloud.js';
import { moment } from './draw.js';
import type { FaultKind } from './fault.js';

const MEMBERS_MORE_MOST = 3;
const TICKS_MOST = 3;
/** How long copies are waited for when a slot is drained warm: less than a session time-out, or longer than most copies take. */
const SHORT_PATIENCE_MS = 2_000;
const LONG_PATIENCE_MS = 20_000;
const CANCELLED_AFTER_MOST_MS = 30_000;
const NEVER = 0;

/** At a moment of the run. */
function at(cloud: Cloud, atMs: number, act: () => void) {
  const wait = async () => {
    if ((await cloud.until(atMs)) && !cloud.isCalm) act();
  };
  return { begin: () => cloud.inBackground(wait()) };
}

export const memberAdded: FaultKind = {
  kind: 'member-added',
  about: 'the operator wants one to three members more',
  make: (chance, size) => ({
    kind: 'member-added',
    atMs: moment(chance, size),
    members: chance.between(1, MEMBERS_MORE_MOST),
  }),
  activate: (fault, cloud, fired) =>
    at(cloud, Number(fault.atMs), () => {
      cloud.setMembers(cloud.members + Number(fault.members));
      fired({ members: cloud.members });
    }),
};

export const memberDrained: FaultKind = {
  kind: 'member-drained',
  about: 'the operator wants fewer members, one at least',
  make: (chance, size) => ({ kind: 'member-drained', atMs: moment(chance, size), members: chance.between(1, 2) }),
  activate: (fault, cloud, fired) =>
    at(cloud, Number(fault.atMs), () => {
      const fewer = Math.max(1, cloud.members - Number(fault.members));
      if (fewer === cloud.members) return;
      cloud.setMembers(fewer);
      fired({ members: cloud.members });
    }),
};

/** Which slot is drained is drawn when it comes to that: of those that run, never the last one. */
export const slotDrained: FaultKind = {
  kind: 'slot-drained',
  about: 'the operator drains one slot, at once or with copies warm first, and takes that back later or never',
  make: (chance, size) => ({
    kind: 'slot-drained',
    atMs: moment(chance, size),
    row: chance.below(1_000),
    warmMs: chance.pick([0, SHORT_PATIENCE_MS, LONG_PATIENCE_MS]),
    cancelledAfterMs: chance.pick([NEVER, chance.between(1, CANCELLED_AFTER_MOST_MS)]),
  }),
  activate: (fault, cloud, fired) => ({
    begin: () =>
      cloud.inBackground(
        cloud.tryUntilCalm(Number(fault.atMs), async () => {
          const open = (await cloud.leases.listMembers()).filter(({ drain }) => drain === undefined);
          const drained = open[Number(fault.row) % open.length];
          if (drained === undefined || open.length < 2) return false;
          const { memberId } = drained;
          const { nowMs } = cloud.time;
          const warmUntilMs = fault.warmMs === 0 ? 0 : nowMs + Number(fault.warmMs);
          const mark = { wantedBefore: cloud.members, warmUntilMs };
          if (!(await cloud.leases.markDrain(memberId, mark)).applied) return false;
          fired({ memberId, warmUntilMs });
          if (fault.cancelledAfterMs === NEVER) return true;
          if ((await cloud.until(nowMs + Number(fault.cancelledAfterMs))) && !cloud.isCalm)
            await cloud.leases.markDrain(memberId, null);
          return true;
        }),
      ),
  }),
};

export const codeRedeployed: FaultKind = {
  kind: 'code-redeployed',
  about: 'all functions get a new version; environments of the old one finish their invocation and take no other',
  make: (chance, size) => ({ kind: 'code-redeployed', atMs: moment(chance, size) }),
  activate: (fault, cloud, fired) =>
    at(cloud, Number(fault.atMs), () => {
      for (const target of ['scheduler', 'task', 'standby', 'query'] as const) cloud.platform.redeploy(target);
      fired();
    }),
};

export const scheduleRepeated: FaultKind = {
  kind: 'schedule-repeated',
  about: "the schedule's event comes once to three times more: schedulers overlap",
  make: (chance, size) => ({
    kind: 'schedule-repeated',
    atMs: moment(chance, size),
    times: chance.between(1, TICKS_MOST),
  }),
  activate: (fault, cloud, fired) =>
    at(cloud, Number(fault.atMs), () => {
      for (let time = Number(fault.times); time > 0; time -= 1) cloud.tick();
      fired({ times: Number(fault.times) });
    }),
};
