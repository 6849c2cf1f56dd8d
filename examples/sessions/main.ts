import { tryOut } from '../try-out.js';
import shopVisits, { clicks, visits } from './visits.js';

const at = (time: string) => ({ timestampMs: Date.parse(`2026-03-01T${time}Z`) });
const timeOf = (ms: number) => new Date(ms).toISOString().slice(11, 16);

const updates = await tryOut(shopVisits, {
  topics: ['clicks', 'visits'],
  settings: { statestoreCacheMaxBytes: 0 }, // every update, not the last one of each commit
  input: (streams) =>
    streams.append('clicks', clicks, [
      { key: 'ada', value: { page: 'home', spentCents: 0 }, ...at('09:00') },
      { key: 'ada', value: { page: 'checkout', spentCents: 1_200 }, ...at('09:33') }, // too long a pause: a second visit
      { key: 'ada', value: { page: 'basket', spentCents: 0 }, ...at('09:29') }, // late, and it connects the two
      { key: 'ada', value: { page: 'home', spentCents: 0 }, ...at('12:00') },
    ]),
  output: (streams) => streams.read('visits', visits),
});

for (const { key, value } of updates) {
  if (key === null) continue;
  const visit = `${key.key} ${timeOf(key.window.startMs)}–${timeOf(key.window.endMs)}`;
  console.log(value === null ? `${visit}: deleted` : `${visit}: ${value.clicks} clicks, ${value.spentCents} cents`);
}
