import { tryOut } from '../try-out.js';
import suspiciousPayments, { logins, payments, suspicions } from './suspicious-payments.js';

const at = (time: string) => ({ timestampMs: Date.parse(`2026-03-01T${time}Z`) });

const found = await tryOut(suspiciousPayments, {
  topics: ['logins', 'payments', 'suspicious-payments'],
  async input(streams) {
    await streams.append('logins', logins, [
      { key: 'ada', value: { country: 'DK' }, ...at('09:00') },
      { key: 'ada', value: { country: 'BR' }, ...at('09:05') },
    ]);
    await streams.append('payments', payments, [
      { key: 'ada', value: { paymentId: 'payment-1', country: 'DK', amountCents: 900 }, ...at('09:04') },
      { key: 'ada', value: { paymentId: 'payment-2', country: 'DK', amountCents: 90_000 }, ...at('09:15') },
      { key: 'ada', value: { paymentId: 'payment-3', country: 'DK', amountCents: 500 }, ...at('09:16') },
    ]);
  },
  output: (streams) => streams.read('suspicious-payments', suspicions),
});

for (const { key, value } of found) {
  console.log(`${key}: ${value?.paymentId} from ${value?.country} after a login from ${value?.loginCountry}`);
}
