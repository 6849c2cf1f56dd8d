/** The examples under faults: crashes and their kin change nothing of what they answer. */
import { describe, expect, it } from 'vitest';
import suspiciousPayments, { logins, payments } from '../../examples/fraud/suspicious-payments.js';
import type { InputRecord, InputSerdes, LocalStreams } from '../../lib/local/index.js';
import { type InputTopics, simulate } from '../../lib/testing/index.js';
import { exampleRuns } from '../support/examples/example-runs.js';

const SEEDS = 2;

/**
 * How strictly the input decides the outputs: not at all where it matters what arrives first, a parcel or its rate, or how far one topic
 * is ahead of the other when a login comes late.
 */
const decided: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  wordcount: { counts: 'sequence' },
  orders: { 'customer-totals': 'last' },
  'windowed-sums': { 'usage-per-hour': 'sequence' },
  sessions: { visits: 'sequence' },
  enrichment: { 'priced-parcels': 'none' },
  fraud: { 'suspicious-payments': 'none' },
};

describe('an example under faults', () => {
  it.each(exampleRuns)('$name answers what it does without', async ({ name, app, input }) => {
    const report = await simulate(app, { inputs: await topicsOf(input), seeds: SEEDS });

    expect(report.outputs).toEqual(decided[name]);
    expect(Object.values(report.faults).reduce((sum, times) => sum + times, 0)).toBeGreaterThan(SEEDS);
  });

  it('fraud finds a payment whatever arrives first, though it waits for the slower topic', async () => {
    const login = { country: 'BR' };
    const payment = { paymentId: 'payment-1', country: 'DK', amountCents: 100 };

    const report = await simulate(suspiciousPayments, {
      inputs: {
        logins: { ...logins, records: [{ key: 'ada', value: login, timestampMs: 60_000 }] },
        payments: { ...payments, records: [{ key: 'ada', value: payment, timestampMs: 60_000 }] },
      },
      seeds: SEEDS,
      check: ({ outputs }) => expect(outputs('suspicious-payments')).toHaveLength(1),
    });

    expect(report.outputs).toEqual({ 'suspicious-payments': 'sequence' });
  });
});

/** What an example appends, by topic. */
async function topicsOf(
  input: (streams: Pick<LocalStreams, 'append'>) => Promise<void>,
): Promise<InputTopics<Record<string, unknown>, Record<string, unknown>>> {
  const topics: Record<string, InputSerdes<unknown, unknown> & { records: readonly InputRecord<unknown, unknown>[] }> =
    {};
  await input({
    async append<K, V>(topic: string, serdes: InputSerdes<K, V>, records: Iterable<InputRecord<K, V>>) {
      topics[topic] = { ...(serdes as InputSerdes<unknown, unknown>), records: [...records] };
    },
  });
  return topics;
}
