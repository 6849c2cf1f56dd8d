import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Windowed } from '../../../lib/model/windowed.js';
import { string } from '../../../lib/serde/string-serde.js';
import type { SessionStore } from '../../../lib/state/state-store.js';
import { sessionStore } from '../../../lib/topology/windowed-stores.js';
import { compacted, DrivenStore, Levels, listed } from '../../support/windowed-stores.js';

const RETENTION_MS = 100_000;
const SEGMENT_MS = 60_000;

interface Session {
  readonly key: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly value: string;
}

/** A plain map and the greatest end. */
interface Model {
  readonly sessions: ReadonlyMap<string, Session>;
  readonly streamTimeMs: number;
}

const EMPTY: Model = { sessions: new Map(), streamTimeMs: -1 };

function written(model: Model, session: Session, isRemove: boolean): Model {
  const streamTimeMs = Math.max(model.streamTimeMs, session.endMs);
  const sessions = new Map(model.sessions);
  const name = `${session.key}/${session.startMs}/${session.endMs}`;
  if (session.endMs > streamTimeMs - RETENTION_MS) {
    if (isRemove) sessions.delete(name);
    else sessions.set(name, session);
  }
  return { sessions, streamTimeMs };
}

const text = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const byTime = (a: Session, b: Session) => a.endMs - b.endMs || text(a.key, b.key) || b.startMs - a.startMs;
const bySegment = (a: Session, b: Session) =>
  Math.floor(a.endMs / SEGMENT_MS) - Math.floor(b.endMs / SEGMENT_MS) ||
  text(a.key, b.key) ||
  a.endMs - b.endMs ||
  a.startMs - b.startMs;

function list(
  { sessions, streamTimeMs }: Model,
  inMemory: boolean,
  wants: (of: Session) => boolean,
): readonly string[] {
  return [...sessions.values()]
    .filter(({ endMs }) => endMs > streamTimeMs - RETENTION_MS)
    .filter(wants)
    .sort(inMemory ? byTime : bySegment)
    .map(({ key, startMs, endMs, value }) => `${key}@${startMs}/${endMs}=${value}`);
}

const shown = ({ key: { key, window }, value }: { readonly key: Windowed<string>; readonly value: string }) =>
  `${key}@${window.startMs}/${window.endMs}=${value}`;

const time = fc.integer({ min: 0, max: 30 }).map((units) => units * 10_000);
const step = fc.record({
  do: fc.constantFrom('put', 'put', 'put', 'remove', 'seal', 'commit', 'rollback'),
  key: fc.constantFrom('a', 'b'),
  endMs: time,
  lengthMs: fc.constantFrom(0, 10_000, 20_000),
  value: fc.constantFrom('1', '2'),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function play(steps: readonly Step[], inMemory: boolean) {
  const spec = sessionStore({ name: 's', key: string(), value: string(), retention: RETENTION_MS, inMemory });
  const real = new DrivenStore<SessionStore<string, string>>(spec);
  const levels = new Levels(EMPTY);
  for (const { do: what, key, endMs, lengthMs, value } of steps) {
    if (levels.play(what, real)) continue;
    const startMs = Math.max(0, endMs - lengthMs);
    if (what === 'put') await real.store.put({ key, window: { startMs, endMs } }, value);
    else await real.store.remove({ key, window: { startMs, endMs } });
    levels.now = written(levels.now, { key, startMs, endMs, value }, what === 'remove');
  }
  return { real, model: levels.now };
}

test('a session store answers as a plain list does, whatever was committed or taken back', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.boolean(),
      time,
      time,
      async (steps, inMemory, earliestEndMs, latestStartMs) => {
        const { real, model } = await play(steps, inMemory);
        const { store } = real;

        const all = list(model, inMemory, () => true);
        expect((await listed(store.fetchRange(null, null))).map(shown)).toEqual(all);
        expect((await listed(store.backwardFetchRange(null, null))).map(shown)).toEqual([...all].reverse());
        const found = list(
          model,
          inMemory,
          ({ key, startMs, endMs }) => key === 'a' && endMs >= earliestEndMs && startMs <= latestStartMs,
        );
        const forward = await listed(store.findSessions('a', earliestEndMs, latestStartMs));
        const backward = await listed(store.backwardFindSessions('a', earliestEndMs, latestStartMs));
        expect(forward.map(shown)).toEqual(found);
        expect(backward.map(shown)).toEqual([...found].reverse());
        for (const [from, to] of [
          [null, null],
          ['b', null],
          [null, 'a'],
          ['a', 'b'],
          ['b', 'a'],
        ] as const) {
          const among = list(
            model,
            inMemory,
            ({ key, startMs, endMs }) =>
              (from === null || key >= from) &&
              (to === null || key <= to) &&
              endMs >= earliestEndMs &&
              startMs <= latestStartMs,
          );
          const range = await listed(store.findSessionsRange(from, to, earliestEndMs, latestStartMs));
          const back = await listed(store.backwardFindSessionsRange(from, to, earliestEndMs, latestStartMs));
          expect(range.map(shown)).toEqual(among);
          expect(back.map(shown)).toEqual([...among].reverse());
        }
        const [fromMs, toMs] = [Math.min(earliestEndMs, latestStartMs), Math.max(earliestEndMs, latestStartMs)];
        const ended = list(model, inMemory, ({ endMs }) => endMs >= fromMs && endMs <= toMs);
        expect((await listed(store.findSessionsByEnd(fromMs, toMs))).map(shown)).toEqual(ended);
        for (const { key, startMs, endMs, value } of model.sessions.values()) {
          const isKept = endMs > model.streamTimeMs - RETENTION_MS;
          expect(await store.fetchSession(key, startMs, endMs)).toBe(isKept ? value : null);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('any snapshot and the changelog after it restore the same sessions as the whole changelog, cleaned or not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { real, model } = await play(steps, false);
      real.commitAll();

      const wanted = list(model, false, () => true);
      for (const store of [...real.restored(), ...real.restored(compacted).slice(0, 1)]) {
        expect((await listed(store.fetchRange(null, null))).map(shown)).toEqual(wanted);
      }
    }),
    { numRuns: 150 },
  );
});
