import shopVisits, { type Click, clicks, type Visit, visits } from '../../../examples/sessions/visits.js';
import { type ExampleRun, groupsOf, lastByKey, sorted, type TimedRecord } from './example-run.js';
import { MINUTE_MS, madeUp, timedRecords } from './made-up.js';

const GAP_MS = 30 * MINUTE_MS;
const VISITORS = Array.from({ length: 12 }, (_, index) => `visitor-${index}`);

export function sessionsRun(): ExampleRun {
  const chance = madeUp(4);
  const records = timedRecords<Click>(chance, {
    count: 600,
    keys: VISITORS,
    everyMs: 2 * MINUTE_MS,
    lateMs: 5 * MINUTE_MS,
    value: () => ({ page: 'any', spentCents: chance.between(0, 900) }),
  });
  return {
    name: 'sessions',
    app: shopVisits,
    topics: ['clicks', 'visits'],
    input: (streams) => streams.append('clicks', clicks, records),
    output: async (streams) => {
      const updates = await streams.read('visits', visits);
      return lastByKey(
        updates.map(({ key, value }) => ({ key: `${key?.key} ${key?.window.startMs}–${key?.window.endMs}`, value })),
      );
    },
    wanted: visitsOf(records),
  };
}

function visitsOf(records: readonly TimedRecord<Click>[]): Readonly<Record<string, Visit>> {
  const found: [string, Visit][] = [];
  for (const [visitor, own] of groupsOf(records, ({ key }) => key)) {
    const inOrder = [...own].sort((a, b) => a.timestampMs - b.timestampMs);
    let visit: TimedRecord<Click>[] = [];
    for (const [index, click] of inOrder.entries()) {
      visit.push(click);
      const nextMs = inOrder[index + 1]?.timestampMs ?? Number.POSITIVE_INFINITY;
      if (nextMs - click.timestampMs <= GAP_MS) continue;
      const spentCents = visit.reduce((sum, { value }) => sum + value.spentCents, 0);
      found.push([`${visitor} ${visit[0]?.timestampMs}–${click.timestampMs}`, { clicks: visit.length, spentCents }]);
      visit = [];
    }
  }
  return sorted(found);
}
