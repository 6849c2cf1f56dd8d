import type { ByteKey } from '../model/byte-key.js';
import type { KeyRange, StoredEntry } from './byte-store.js';
import { type Layer, type LayerCursor, visible } from './layer.js';

/**
 * Entries of several layers in key order, where the first layer that knows a key decides.
 *
 * Each step looks at the layers as they are at that moment: what was deleted meanwhile is not delivered, and writes behind
 * the iterator are not seen. `layers` is asked at each step, since a commit or a seal may change the stack in between.
 */
export function* mergedEntries(layers: () => readonly Layer[], range: KeyRange): Generator<StoredEntry> {
  const reverse = range.reverse === true;
  const cursors = new Map<Layer, LayerCursor>();
  let bound = reverse ? range.to : range.from;
  let inclusive = !reverse; // `from` is inclusive, `to` exclusive
  for (;;) {
    const stack = layers();
    const key = nextKey(stack, cursors, { bound, inclusive, reverse });
    if (key === null || isBeyond(key, range, reverse)) return;
    const entry = newest(stack, key);
    bound = key;
    inclusive = false;
    if (entry !== null) yield entry;
  }
}

function nextKey(
  stack: readonly Layer[],
  cursors: Map<Layer, LayerCursor>,
  at: { readonly bound: ByteKey | null; readonly inclusive: boolean; readonly reverse: boolean },
): ByteKey | null {
  let best: ByteKey | null = null;
  for (const layer of stack) {
    if (layer.map.size === 0) continue;
    let cursor = cursors.get(layer);
    if (cursor === undefined) {
      cursor = layer.cursor(at.reverse);
      cursors.set(layer, cursor);
    }
    const key = cursor.seek(at.bound, at.inclusive);
    if (key !== null && (best === null || (at.reverse ? key > best : key < best))) best = key;
  }
  return best;
}

function isBeyond(key: ByteKey, range: KeyRange, reverse: boolean): boolean {
  return reverse ? range.from !== null && key < range.from : range.to !== null && key >= range.to;
}

function newest(stack: readonly Layer[], key: ByteKey): StoredEntry | null {
  for (const layer of stack) {
    const written = layer.map.get(key);
    if (written !== undefined) return visible(written);
  }
  return null;
}
