/** Wall clocks that are wrong. */
import type { Cloud } from '../cloud.js';
import type { SimulatedProcess } from '../simulated-process.js';
import { early } from './draw.js';
import type { FaultKind } from './fault.js';

const ENVIRONMENTS_MOST = 5;
const SKEW_MOST_MS = 30_000;
const JUMP_MOST_MS = 10_000;

export const clockSkew: FaultKind = {
  kind: 'clock-skew',
  about: 'the wall clock of one environment is up to 30 s ahead or behind, from its start or from a jump on',
  make: (chance, { sessionTimeoutMs }) => {
    // Half of them within what an invocation's expiry bears, so that the wrong clock does its work and is not just shut out.
    const mostMs = chance.happens(0.5) ? Math.min(SKEW_MOST_MS, sessionTimeoutMs / 2) : SKEW_MOST_MS;
    return {
      kind: 'clock-skew',
      environment: early(chance, ENVIRONMENTS_MOST),
      ms: chance.between(-mostMs, mostMs),
      jumpAfterMs: chance.happens(0.5) ? 0 : chance.below(JUMP_MOST_MS),
    };
  },
  activate(fault, cloud, fired) {
    let seen = 0;
    let skewed: SimulatedProcess | null = null;
    const skew = (process: SimulatedProcess) => {
      if (process.isDead || cloud.isCalm) return;
      fired({ process: process.name, ms: Number(fault.ms), untilMs: cloud.scenario.calmAtMs });
      process.skewMs += Number(fault.ms);
      skewed = process;
    };
    return {
      environment(process) {
        seen += 1;
        if (seen !== Number(fault.environment) + 1) return;
        if (Number(fault.jumpAfterMs) === 0) skew(process);
        else cloud.inBackground(later(cloud, Number(fault.jumpAfterMs), () => skew(process)));
      },
      calm() {
        if (skewed !== null) skewed.skewMs -= Number(fault.ms);
      },
    };
  },
};

async function later(cloud: Cloud, ms: number, act: () => void): Promise<void> {
  if (await cloud.until(cloud.time.nowMs + ms)) act();
}
