/** Shows what `simulate` finds in an application that charges cards: `npm run example -- simulate`. */
import { SimulationFailedError } from '../../lib/index.js';
import { simulateCharges } from './simulate-charges.js';

const SEEDS = 20;

try {
  await simulateCharges({ isIdempotent: false, seeds: SEEDS });
  console.log('No seed has found that a card is charged twice: try more of them.');
  process.exitCode = 1;
} catch (error) {
  if (!(error instanceof SimulationFailedError)) throw error;
  console.log(error.message);
}
const report = await simulateCharges({ isIdempotent: true, seeds: SEEDS });
const faults = Object.values(report.faults).reduce((sum, times) => sum + times, 0);
console.log(
  `\nWith an idempotency key all ${report.seeds.length} seeds hold: ${report.records} orders, ${faults} faults, ${report.remote.repeated} charges asked for again.`,
);
