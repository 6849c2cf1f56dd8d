/**
 * What a snapshot that adds a delta writes anew besides, so that neither deltas pile up nor one write ever has the whole store to do.
 *
 * Deltas of about one size are written together when there are `FAN` of them: so each entry is written again once for each power of
 * `FAN` that its deltas come to, and a key is looked for in few. Deltas that have come to `DELTA_PART` of the base go into it, a piece of the base in order
 * of keys with each snapshot that follows: a round.
 *
 * Numbered invariants
 *   P1  one write merges at most `STEP_BYTES` of old segments (at least one of the base), and all that deltas say of its keys
 *   P2  a delta of a round is dropped when the round has come to the end of the keys; those that came after its beginning stay. Until then it
 *       says of merged keys what the base says, or a later delta overrides: that it is there still changes nothing
 *   P3  `mergedTo` of a delta only says where its round stands: a reader may ignore it
 */
import type { ByteKey } from '../model/byte-key.js';
import type { SegmentReference } from './segment-format.js';

/** Deltas of one size that are written together. */
export const FAN = 8;
/** Deltas up to so many times the size of what is after them are of its size. */
const LIKE_FACTOR = 2;
/** Deltas from which on some are written together whatever their sizes, where a step takes them. */
export const DELTAS_MAX = 32;
/** Bytes of deltas as a part of the base; above it they are merged into it. */
const DELTA_PART = 0.5;
/** Bytes of old segments that one write merges (P1). */
const STEP_BYTES = 128 * 1024 * 1024;

export interface MergePlan {
  /** How many of the newest deltas are written as one with the new one. */
  readonly deltas: number;
  /** Null: the base stays as it is. */
  readonly base: BaseMerge | null;
}

/** A piece of the base that is written anew with what all deltas say of its keys. */
export interface BaseMerge {
  /** Segments [first, end) of the base. */
  readonly first: number;
  readonly end: number;
  /** Keys from (inclusive) to (exclusive); null is open. */
  readonly from: ByteKey | null;
  readonly to: ByteKey | null;
}

export function basesOf(segments: readonly SegmentReference[]): readonly SegmentReference[] {
  return segments.filter(({ level }) => level === 'base');
}

export function deltasOf(segments: readonly SegmentReference[]): readonly SegmentReference[] {
  return segments.filter(({ level }) => level === 'delta');
}

/**
 * @param segments of the manifest that is built upon
 * @param newBytes of the delta that is added
 */
export function planMerge(
  segments: readonly SegmentReference[],
  newBytes: number,
  stepBytes: number = STEP_BYTES,
): MergePlan {
  const [bases, deltas] = [basesOf(segments), deltasOf(segments)];
  const from = deltas[0]?.mergedTo ?? null;
  const isLarge = sizeOf(deltas) + newBytes > sizeOf(bases) * DELTA_PART;
  if (from === null && !isLarge) return { deltas: deltasTogether(deltas, newBytes, stepBytes), base: null };
  const base = nextPiece(bases, from, stepBytes);
  // A round that begins takes all deltas that there are: they are not changed under it.
  const free = from === null ? [] : deltas.filter(({ mergedTo }) => mergedTo === undefined);
  return { deltas: deltasTogether(free, newBytes, stepBytes), base };
}

/** Whether the merge does the whole store: then nothing is left to be a delta to. */
export function isWholeMerge({ base }: MergePlan): boolean {
  return base !== null && base.from === null && base.to === null;
}

/** The deltas of a manifest once a piece has been merged (P2). */
export function deltasAfter(deltas: readonly SegmentReference[], { from, to }: BaseMerge): readonly SegmentReference[] {
  const isOfRound = (delta: SegmentReference) => (delta.mergedTo ?? null) === from;
  if (to === null) return deltas.filter((delta) => !isOfRound(delta));
  return deltas.map((delta) => (isOfRound(delta) ? { ...delta, mergedTo: to } : delta));
}

function nextPiece(bases: readonly SegmentReference[], from: ByteKey | null, stepBytes: number): BaseMerge {
  const found = from === null ? 0 : bases.findIndex(({ lastKey }) => lastKey >= from);
  const first = found < 0 ? bases.length : found;
  let end = first;
  let bytes = 0;
  while (end < bases.length && (end === first || bytes + (bases[end]?.sizeBytes ?? 0) <= stepBytes)) {
    bytes += bases[end]?.sizeBytes ?? 0;
    end += 1;
  }
  return { first, end, from, to: bases[end]?.firstKey ?? null };
}

function deltasTogether(deltas: readonly SegmentReference[], newBytes: number, stepBytes: number): number {
  const sizes = deltas.map(({ sizeBytes }) => sizeBytes).reverse(); // the newest first
  let together = 0;
  let bytes = newBytes;
  for (;;) {
    const rest = sizes.slice(together);
    const larger = rest.findIndex((size) => size > bytes * LIKE_FACTOR);
    const more = larger < 0 ? rest.length : larger;
    const moreBytes = rest.slice(0, more).reduce((sum, size) => sum + size, 0);
    if (more < FAN - 1 || bytes + moreBytes > stepBytes) break;
    together += more;
    bytes += moreBytes;
  }
  return together === 0 && sizes.length >= DELTAS_MAX ? newestThatFit(sizes, newBytes, stepBytes) : together;
}

/** As many of the newest as one step takes: where sizes are so uneven that too many stand beside each other. */
function newestThatFit(sizes: readonly number[], newBytes: number, stepBytes: number): number {
  let bytes = newBytes;
  const tooMany = sizes.findIndex((size) => {
    bytes += size;
    return bytes > stepBytes;
  });
  return tooMany < 0 ? sizes.length : tooMany;
}

function sizeOf(segments: readonly SegmentReference[]): number {
  return segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
