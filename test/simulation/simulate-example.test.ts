import { describe, expect, it } from 'vitest';
import { simulateCharges } from '../../examples/simulate/simulate-charges.js';
import { SimulationFailedError } from '../../lib/index.js';

const SEEDS = 12;

describe('the example that charges cards', () => {
  it('is found to charge a card twice where it trusts in exactly once, and told so that it can be seen again', async () => {
    const failure = await simulateCharges({ isIdempotent: false, seeds: SEEDS }).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(SimulationFailedError);
    const { message, details, cause } = failure as SimulationFailedError;
    expect(message).toMatch(
      /^simulate: with seed \d+, charges breaks 'check': card-\d+ was charged \d times for one order/,
    );
    expect(message).toMatch(/It takes \d+ records?, [1-3] faults? and 1 member/);
    expect(message).toMatch(/ {2}fault [a-z-]+: .+/);
    expect(message).toMatch(/record at \d+ ms to orders-[01]: "order-\d+" → \{"card":"card-\d+","amount":\d+\}/);
    expect(message).toContain(`seeds: [${details.seed}]`);
    expect(cause).toMatchObject({ message: expect.stringMatching(/was charged/) });
  });

  it('charges each card once where the service knows a charge by the place of its order in the log', async () => {
    const report = await simulateCharges({ isIdempotent: true, seeds: SEEDS });

    expect(report.seeds).toHaveLength(SEEDS);
    expect(report.remote.repeated).toBeGreaterThan(0);
    expect(Object.values(report.faults).reduce((sum, times) => sum + times, 0)).toBeGreaterThan(SEEDS);
  });
});
