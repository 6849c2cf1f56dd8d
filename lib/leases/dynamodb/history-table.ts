/**
 * History as items: each kind of entry in a ring of keys (history.ts), and a time after which DynamoDB may delete it. Nothing
 * decides by an entry, so that each is written once, unconditionally but for Y1, and not repeated.
 */
import type { Host } from '../../host/host.js';
import {
  type EntryPlace,
  HISTORY_KEPT_DAYS,
  type HistoryTable,
  type PlanExplanation,
  placeOfDeath,
  placeOfExplanation,
  placeOfStart,
} from '../history.js';
import { count, type Item, ItemReader, text } from './attributes.js';
import { deathOf, explanationOf, startOf } from './json-values.js';
import { packed, packedBytes } from './packed-text.js';
import type { Table } from './table.js';

/** Bytes of an entry at most, as it is stored: an item of DynamoDB holds 400 KB with all its names. */
export const MAX_ENTRY_BYTES = 350 * 1024;

const SECONDS_PER_DAY = 86_400;
/** Nothing has this key, or it is older: who comes late replaces nothing newer (Y1). */
const REPLACES = 'attribute_not_exists(#version) OR #version < :version';

/** The table of history: key `entry`, time to live `expiresAt`. */
export function createHistoryTable(table: Table, { clock }: Pick<Host, 'clock'>): HistoryTable {
  const keep = ({ key, version }: EntryPlace, body: Item[string]): Promise<void> => {
    const expiresAt = Math.floor(clock.now() / 1_000) + HISTORY_KEPT_DAYS * SECONDS_PER_DAY;
    const item = { version: count(version), expiresAt: count(expiresAt), body };
    return table.put(text(key), item, REPLACES, { version: count(version) });
  };
  const list = async <T>(prefix: string, read: (value: unknown) => T): Promise<T[]> =>
    (await table.listWithPrefix(prefix)).map((item) => new ItemReader(table.name, item).json('body', read));
  return {
    keepExplanation: (entry) => keep(placeOfExplanation(entry.planNumber), fitting(entry)),
    keepDeath: (entry) => keep(placeOfDeath(entry), packed(JSON.stringify(entry))),
    keepStart: (entry) => keep(placeOfStart(entry), packed(JSON.stringify(entry))),
    async readExplanation(number) {
      const item = await table.read(text(placeOfExplanation(number).key));
      const found = item === null ? null : new ItemReader(table.name, item).json('body', explanationOf);
      return found?.planNumber === number ? found : null;
    },
    listExplanations: async () => (await list('plan#', explanationOf)).sort((a, b) => a.planNumber - b.planNumber),
    listDeaths: async () => (await list('death#', deathOf)).sort((a, b) => a.seenAtMs - b.seenAtMs),
    listStarts: async () => (await list('start#', startOf)).sort((a, b) => a.takenAtMs - b.takenAtMs),
  };
}

/** Where there is no table of history: nothing is kept, and nothing found. */
export const noHistory: HistoryTable = {
  keepExplanation: async () => {},
  keepDeath: async () => {},
  keepStart: async () => {},
  readExplanation: async () => null,
  listExplanations: async () => [],
  listDeaths: async () => [],
  listStarts: async () => [],
};

/** As much of an explanation as an item holds: of moves beyond, the number. */
function fitting(explanation: PlanExplanation): Item[string] {
  const { moves, movesLeftOut } = explanation;
  for (let kept = moves.length; ; kept = Math.floor(kept / 2)) {
    const cut = { ...explanation, moves: moves.slice(0, kept), movesLeftOut: movesLeftOut + moves.length - kept };
    const body = packed(JSON.stringify(cut));
    if (packedBytes(body) <= MAX_ENTRY_BYTES || kept === 0) return body;
  }
}
