import { tryOut } from '../try-out.js';
import usagePerHour, { readings, usage } from './usage-per-hour.js';

const at = (time: string) => ({ timestampMs: Date.parse(`2026-03-01T${time}Z`) });

const results = await tryOut(usagePerHour, {
  topics: ['readings', 'usage-per-hour'],
  input: (streams) =>
    streams.append('readings', readings, [
      { key: 'meter-1', value: 200, ...at('09:10') },
      { key: 'meter-1', value: 300, ...at('09:50') },
      { key: 'meter-1', value: 150, ...at('10:02') },
      { key: 'meter-1', value: 90, ...at('09:58') }, // late, within the grace
      { key: 'meter-1', value: 170, ...at('11:05') }, // closes both hours
      { key: 'meter-1', value: 999, ...at('09:59') }, // too late
    ]),
  output: (streams) => streams.read('usage-per-hour', usage),
});

for (const { key, value } of results) {
  if (key !== null) console.log(`${key.key} from ${new Date(key.window.startMs).toISOString()}: ${value} Wh`);
}
