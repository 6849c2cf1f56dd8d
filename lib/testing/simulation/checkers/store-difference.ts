/** How the content of a store differs from the reference's. */
import { byteKey, bytesOfKey, type PackedBytes } from '../../../model/byte-key.js';
import { packHeldUpdate, readHeldUpdate } from '../../../state/held-update.js';
import type { StoreSpec } from '../../../topology/store-spec.js';
import { contentDiffers } from './store-contents.js';
import { stillHeld, storeTimes } from './store-times.js';
import type { ChangelogRecord } from './stored-record.js';

/** Values by key, both as bytes, one character a byte. */
export type StoredContent = ReadonlyMap<string, string>;

export interface SeenStore {
  readonly spec: StoreSpec | undefined;
  /** All that was committed to its changelog. */
  readonly records: readonly ChangelogRecord[];
  readonly content: StoredContent;
}

/** What a store is held to: the reference's content with all updates; and with those that caches can not leave out. */
export interface WantedContent {
  readonly every: StoredContent | undefined;
  readonly lasts: () => Promise<StoredContent | undefined> | StoredContent | undefined;
}

export interface StoreFacts {
  /** Whether a cache before the store may leave updates out. */
  readonly isFedByCache: boolean;
  /** Whether of what waits in the store the input record is compared that brought it. */
  readonly hasOrigins: boolean;
}

const NOTHING: StoredContent = new Map();
/** Kinds of stores in which records wait together with where they came from. */
const WITH_ORIGINS: ReadonlySet<StoreSpec['kind'] | undefined> = new Set(['suppressed', 'waiting'] as const);

/** @returns what is wrong, in words; null: nothing */
export async function storeDifference(
  { spec, records, content }: SeenStore,
  { every, lasts }: WantedContent,
  { isFedByCache, hasOrigins }: StoreFacts,
): Promise<string | null> {
  const times = storeTimes(spec, records);
  const compared = (whole: StoredContent = NOTHING) => {
    const held = stillHeld(whole, times);
    return hasOrigins ? held : withoutOrigins(spec, held);
  };
  const seen = compared(content);
  const wanted = compared(every);
  const what = contentDiffers(seen, wanted);
  if (what === null || !isFedByCache) return what;
  return contentDiffers(seen, mixed(seen, wanted, compared(await lasts()))) === null ? null : what;
}

/** Whether a store has where its records came from: they can be compared without. */
export function holdsOrigins(spec: StoreSpec | undefined): boolean {
  return WITH_ORIGINS.has(spec?.kind);
}

function withoutOrigins(spec: StoreSpec | undefined, content: StoredContent): StoredContent {
  if (!holdsOrigins(spec)) return content;
  return new Map([...content].map(([key, value]) => [key, withoutOrigin(value)]));
}

function withoutOrigin(value: string): string {
  const update = readHeldUpdate(byteKey(Buffer.from(value, 'latin1')));
  const bytes = bytesOfKey(packHeldUpdate({ ...update, origin: null }) as PackedBytes);
  return Buffer.from(bytes).toString('latin1');
}

/** Of each key what the content has of the two: caches before may have left out all that a key was ever told of. */
function mixed(content: StoredContent, every: StoredContent, last: StoredContent): StoredContent {
  const chosen = new Map<string, string>();
  for (const key of new Set([...every.keys(), ...last.keys()])) {
    const value = content.get(key) === last.get(key) ? last.get(key) : every.get(key);
    if (value !== undefined) chosen.set(key, value);
  }
  return chosen;
}
