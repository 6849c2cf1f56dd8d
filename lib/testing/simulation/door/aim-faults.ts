/**
 * Deaths between the call of a service and the commit of the record that it was made for: what an application that calls
 * services has to be tried by, and what a crash at any of some thousand calls seldom hits. Some crashes are aimed at a call that
 * takes long, before it arrives: what nobody waits for is lost then, its record long committed.
 *
 * Of an application that calls any, half of the runs have one fault that is aimed so, in place of one that was drawn. The chance
 * of it is in a stream of its own: whatever else a seed means stays.
 */
import { createChance } from '../chance.js';
import type { Fault, FaultKind } from '../faults/fault.js';
import type { Scenario } from '../scenario.js';
import { SLOW } from './environment.js';

/** Share of the runs with an aimed fault. */
const AIMED = 0.5;
/** Share of the crashes aimed so that hit a call which takes long, on its way there. */
const AT_SLOW = 0.5;
/** Kinds that can be aimed, and how the fault counts calls of services. */
const COUNTED_BY: Readonly<Record<string, 'call' | 'transaction'>> = { crash: 'call', 'timed-out': 'transaction' };

/** @param calls calls of services without faults; 0: nothing is aimed */
export function aimAtServices(scenario: Scenario, kinds: readonly FaultKind[], calls: number): Scenario {
  const { seed, faults } = scenario;
  const aimable = kinds.filter(({ kind }) => kind in COUNTED_BY);
  const chance = createChance(seed, 'aimed-faults');
  if (calls === 0 || faults.length === 0 || aimable.length === 0 || !chance.happens(AIMED)) return scenario;
  const { kind } = chance.pick(aimable);
  const drawn: Fault = { kind, [COUNTED_BY[kind] ?? 'call']: chance.below(calls), before: false, port: 'outside' };
  const isAtSlow = kind === 'crash' && chance.happens(AT_SLOW);
  const aimed: Fault = isAtSlow
    ? { ...drawn, call: chance.below(Math.ceil(calls * SLOW)), before: true, slow: true }
    : drawn;
  return { ...scenario, faults: [...faults.slice(0, -1), aimed] };
}
