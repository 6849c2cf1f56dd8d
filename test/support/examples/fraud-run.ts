import suspiciousPayments, { logins, payments, suspicions } from '../../../examples/fraud/suspicious-payments.js';
import type { ExampleRun } from './example-run.js';
import { MINUTE_MS, madeUp, timedRecords } from './made-up.js';

const ACCOUNTS = Array.from({ length: 10 }, (_, index) => `account-${index}`);
const COUNTRIES = ['BR', 'DK', 'JP'];
const WITHIN_MS = 10 * MINUTE_MS;

export function fraudRun(): ExampleRun {
  const chance = madeUp(6);
  const timing = { count: 400, keys: ACCOUNTS, everyMs: MINUTE_MS / 2, lateMs: MINUTE_MS };
  const someLogins = timedRecords(chance, { ...timing, value: () => ({ country: chance.pick(COUNTRIES) }) });
  const somePayments = timedRecords(chance, {
    ...timing,
    value: (index) => ({
      paymentId: `payment-${index}`,
      country: chance.pick(COUNTRIES),
      amountCents: chance.between(100, 90_000),
    }),
  });
  const wanted = somePayments.flatMap((payment) =>
    someLogins
      .filter(({ key }) => key === payment.key)
      .filter(({ timestampMs }) => timestampMs <= payment.timestampMs)
      .filter(({ timestampMs }) => timestampMs >= payment.timestampMs - WITHIN_MS)
      .filter(({ value }) => value.country !== payment.value.country)
      .map((login) => shown(payment.key, { ...payment.value, loginCountry: login.value.country })),
  );
  return {
    name: 'fraud',
    app: suspiciousPayments,
    topics: ['logins', 'payments', 'suspicious-payments'],
    async input(streams) {
      await streams.append('logins', logins, someLogins);
      await streams.append('payments', payments, somePayments);
    },
    output: async (streams) => {
      const found = await streams.read('suspicious-payments', suspicions);
      return found.map(({ key, value }) => shown(key, value)).sort();
    },
    wanted: wanted.sort(),
  };
}

/** Each pair of a payment and a login is one suspicion: the same may stand there more than once. */
function shown(account: string | null, suspicion: object | null): string {
  return `${account} ${JSON.stringify(suspicion)}`;
}
