/**
 * Whose settings plans go by where schedulers of different ones tick side by side: a deployment changes the settings, and
 * invocations of the one before run on (docs/decisions/0015-the-settings-begun-last-decide.md).
 *
 *   G1  who begins plans by its own settings until a plan of these is in force or there is nothing to plan: the newest
 *       deployment begins last
 *   G2  from then on, a newer plan made by other settings was made by somebody who has begun later: this scheduler holds back. It
 *       writes no plan but for the dead, wants the slots that the newest plan lists, and does all else
 *   G3  nobody holds back for longer than one plan stands for {@link HOLDS_BACK_MS}: who made it may be gone
 *
 * So each scheduler that begins overrules others once, and with them the plans end that undo each other (KAFKA-14382).
 */
import type { Digest } from '../host/host.js';
import type { MembersRange } from '../model/settings.js';
import type { StreamsApp } from '../topology/app.js';
import { patternsOf, patternText } from '../topology/topic-patterns.js';
import type { ApplicationState } from './state.js';
import { topicsOf } from './topics.js';

/** As long as the schedule takes to begin another scheduler. */
export const HOLDS_BACK_MS = 60_000;
/** Hex digits: two of the few settings that an application ever has do not share them. */
const DIGEST_LENGTH = 16;

/** What a scheduler knows of its own beginning; one that is no loop has none, and decides by its own settings. */
export interface Precedence {
  /** Whether to hold back (G2). */
  holdsBack(seen: Pick<ApplicationState, 'plan' | 'planAgeMs' | 'settingsDigest'>): boolean;
  /** Notes the newest plan after a tick that wrote it, or had nothing to plan. Only the first counts. */
  noteBegun(planNumber: number | null): void;
}

/** That of a scheduler that begins now. */
export function createPrecedence(): Precedence {
  let settings: string | null = null;
  let begunWith: number | null = null;
  return {
    holdsBack({ plan, planAgeMs, settingsDigest }) {
      if (settingsDigest !== settings) begunWith = null; // changed in this very process, which begins anew
      settings = settingsDigest;
      if (plan?.settingsDigest === settingsDigest) begunWith ??= plan.number; // perhaps its own, whose answer was lost
      if (begunWith === null || plan === null || plan.number <= begunWith) return false;
      if (plan.settingsDigest === settingsDigest) return false;
      if (planAgeMs >= HOLDS_BACK_MS) begunWith = null; // G3
      return begunWith !== null;
    },
    noteBegun(planNumber) {
      begunWith ??= planNumber ?? 0;
    },
  };
}

/** All that a tick plans by and does not read anew, as one text to compare. */
export function settingsDigestOf(
  app: StreamsApp,
  wanted: number | MembersRange,
  assignor: string,
  digest: Digest,
): string {
  const all = JSON.stringify([
    app.settings,
    wanted,
    assignor,
    topicsOf(app),
    ...patternsOf(app.topology).map(patternText),
  ]);
  return digest.sha256(Buffer.from(all)).slice(0, DIGEST_LENGTH);
}
