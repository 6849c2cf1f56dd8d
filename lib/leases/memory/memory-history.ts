import {
  type EntryPlace,
  type HistoryTable,
  type MemberDeath,
  type PlanExplanation,
  placeOfDeath,
  placeOfExplanation,
  placeOfStart,
  type TaskStart,
} from '../history.js';
import { frozenCopy } from './frozen-copy.js';

/** The table of history in memory. */
export function createMemoryHistory(): HistoryTable {
  const explanations = new Entries<PlanExplanation>();
  const deaths = new Entries<MemberDeath>();
  const starts = new Entries<TaskStart>();
  return {
    keepExplanation: async (entry) => explanations.keep(placeOfExplanation(entry.planNumber), entry),
    keepDeath: async (entry) => deaths.keep(placeOfDeath(entry), entry),
    keepStart: async (entry) => starts.keep(placeOfStart(entry), entry),
    async readExplanation(number) {
      return explanations.all.find(({ planNumber }) => planNumber === number) ?? null;
    },
    listExplanations: async () => explanations.all.sort((a, b) => a.planNumber - b.planNumber),
    listDeaths: async () => deaths.all.sort((a, b) => a.seenAtMs - b.seenAtMs),
    listStarts: async () => starts.all.sort((a, b) => a.takenAtMs - b.takenAtMs),
  };
}

class Entries<T> {
  private readonly byKey = new Map<string, { readonly version: number; readonly entry: T }>();

  get all(): T[] {
    return [...this.byKey.values()].map(({ entry }) => entry);
  }

  keep({ key, version }: EntryPlace, entry: T): void {
    if ((this.byKey.get(key)?.version ?? -1) < version) this.byKey.set(key, { version, entry: frozenCopy(entry) });
  }
}
