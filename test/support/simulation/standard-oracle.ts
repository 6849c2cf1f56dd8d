/** What the outputs of the stressed application have to be, worked out by arithmetic alone. */
import type { SeenOutputs } from '../../../lib/testing/simulation/subject.js';
import { happenedMs, RETENTION_MS, toldOf, windowStartOf } from './recent-events.js';

type Numbers = ReadonlyMap<string, readonly number[]>;

/** @returns what is wrong; empty: nothing */
export function standardOracle(seen: SeenOutputs): readonly string[] {
  const { words, events, cities } = expected(seen);
  const counts = numbersOf(seen, 'counts');
  const numbered = numbersOf(seen, 'numbered');
  if (seen.settings.processingGuarantee !== 'exactly_once_v2')
    return [...notReached('counts', counts, words), ...notReached('numbered', numbered, events)];
  return [
    ...endsOtherwise('counts', counts, words),
    ...endsOtherwise('numbered', numbered, events),
    ...endsOtherwise('cities', numbersOf(seen, 'cities'), cities),
    ...differentRecent(seen),
    ...[...events]
      .filter(([key, count]) => numbered.get(key)?.length !== count)
      .map(([key, count]) => `numbered: ${key} has ${numbered.get(key)?.length} records instead of ${count}`),
  ];
}

function expected({ inputs }: SeenOutputs) {
  const words = new Map<string, number>();
  const events = new Map<string, number>();
  const cityOf = new Map<string, string>();
  const cities = new Map<string, number>();
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { topic, key, value } of inputs) {
    const keyText = Buffer.from(key ?? []).toString();
    const text = value === null ? null : Buffer.from(value).toString();
    if (topic === 'lines') for (const word of (text ?? '').split(' ')) count(words, word);
    else if (topic === 'events') count(events, keyText);
    else if (text === null) cityOf.delete(keyText);
    else {
      cityOf.set(keyText, text);
      cities.set(text, 0); // somebody has lived there: it is counted, down to 0
    }
  }
  for (const city of cityOf.values()) count(cities, city);
  return { words, events, cities };
}

function numbersOf(seen: SeenOutputs, topic: string): Numbers {
  const number = (value: Uint8Array | null) => (value === null ? 0 : Number(Buffer.from(value).readBigInt64BE()));
  return new Map([...seen.read(topic)].map(([key, values]) => [key, values.map(number)]));
}

function endsOtherwise(topic: string, seen: Numbers, wanted: ReadonlyMap<string, number>): readonly string[] {
  const keys = [...new Set([...wanted.keys(), ...seen.keys()])];
  return keys
    .filter((key) => (seen.get(key)?.at(-1) ?? 0) !== (wanted.get(key) ?? 0))
    .map((key) => `${topic}: ${key} ends at ${seen.get(key)?.at(-1)}, not ${wanted.get(key)}`);
}

/** Nothing is lost, whatever the guarantee. */
function notReached(topic: string, seen: Numbers, wanted: ReadonlyMap<string, number>): readonly string[] {
  return [...wanted]
    .filter(([key, count]) => Math.max(0, ...(seen.get(key) ?? [])) < count)
    .map(([key, count]) => `${topic}: ${key} reached ${Math.max(0, ...(seen.get(key) ?? []))} of ${count}`);
}

/** Each event's number in its window, or 0 where it came when the window was kept no more; negative far behind its partition's time. */
function differentRecent(seen: SeenOutputs): readonly string[] {
  const wanted = new Map<string, number[]>();
  const kept = new Map<string, number>();
  const newest = new Map<number, number>();
  for (const { topic, partition, key, value, timestampMs } of seen.inputs) {
    if (topic !== 'events' || key === null || value === null) continue;
    const keyText = Buffer.from(key).toString();
    const eventMs = happenedMs(timestampMs, Buffer.from(value).toString());
    const startMs = windowStartOf(eventMs);
    const streamTimeMs = Math.max(newest.get(partition) ?? 0, eventMs);
    newest.set(partition, streamTimeMs);
    const window = `${keyText}@${startMs}`;
    const isKept = startMs > windowStartOf(streamTimeMs) - RETENTION_MS;
    const place = isKept ? (kept.get(window) ?? 0) + 1 : 0;
    if (isKept) kept.set(window, place);
    wanted.set(keyText, [...(wanted.get(keyText) ?? []), toldOf(place, eventMs, streamTimeMs)]);
  }
  const numbers = numbersOf(seen, 'recent');
  return [...wanted]
    .filter(([key, places]) => String(numbers.get(key)) !== String(places))
    .map(([key, places]) => `recent: ${key} has ${numbers.get(key)}, not ${places}`);
}
