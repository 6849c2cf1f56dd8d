/** The protocol of slots, leases and plans, explored to the end: docs/protocol.md says what is explored and what it shows. */
import { describe, expect, it } from 'vitest';
import { LEASE_TRANSITIONS, SLOT_TRANSITIONS } from '../../../lib/leases/protocol.js';
import { explore } from '../../../lib/testing/protocol/explore.js';
import { exploreProtocol } from '../../../lib/testing/protocol/explore-protocol.js';
import {
  PROTECTION_NAMES,
  PROTECTIONS,
  type ProtectionName,
  without,
} from '../../../lib/testing/protocol/protections.js';

/** What breaks without each protection, and the steps of a shortest way there. */
const BROKEN: Readonly<Record<ProtectionName, string>> = {
  secondLook: 'M1 17',
  offsetsAfterFence: 'M2 23',
  fencing: 'M1 18',
  newSession: 'M2 12',
  claimCondition: 'M3 2',
  takeCondition: 'M7 11',
  releaseCondition: 'M7 17',
  grantRule: 'M6 6',
  deadRule: 'M7 11',
  doorbellRule: 'M6 7',
  deathCondition: 'M8 8',
  lostDeathEndsTick: 'M8 12',
  leasesBeforeMembers: 'M8 9',
  planCondition: 'M9 4',
  retiredNumbers: 'M3 12',
  selfStop: 'M8 6',
  deadInPlan: 'M10 17',
  announcement: 'M11 7',
};

/** Some 20 s of processor time; a machine that does other things takes longer. */
const WHOLE_EXPLORATION_MS = 300_000;

describe('the protocol of slots, leases and plans', () => {
  it(
    'keeps its invariants in every state that two members and two tasks can reach with one disturbance',
    () => {
      const lines: string[] = [];

      const { protocol } = exploreProtocol({ mutants: [] }, (line) => lines.push(line));

      console.log(lines.join('\n'));
      expect(protocol.violation).toBeNull();
      // The exact count: a change of the protocol, of the scheduler's decisions or of the model moves it, and then says why.
      const { isComplete, states, steps, depth } = protocol;
      expect({ isComplete, states, steps, depth }).toEqual({
        isComplete: true,
        states: 314_173,
        steps: 1_551_176,
        depth: 52,
      });
      const untaken = [...SLOT_TRANSITIONS, ...LEASE_TRANSITIONS].filter((name) => !protocol.transitions.has(name));
      expect(untaken).toEqual(['declare a draining one dead', 'delete a dead slot']); // each takes two disturbances
    },
    WHOLE_EXPLORATION_MS,
  );

  it.each(PROTECTION_NAMES)(
    'breaks without its protection %s',
    (name) => {
      const { violation } = explore({ protections: without(name) });

      if (violation !== null) console.log(`without ${name}: ${PROTECTIONS[name]}\n  ${violation.path.join('\n  ')}`);
      expect(`${violation?.invariant.id} ${violation?.path.length}`).toBe(BROKEN[name]);
    },
    WHOLE_EXPLORATION_MS,
  );
});
