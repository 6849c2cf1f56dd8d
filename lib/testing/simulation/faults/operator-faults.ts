/** What operators and the cloud's own services do while everything runs. */
import type { Cloud } from '../cloud.js';
import { moment } from './draw.js';
import type { FaultKind } from './fault.js';

const MEMBERS_MORE_MOST = 3;
const TICKS_MOST = 3;

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
