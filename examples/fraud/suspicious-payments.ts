/** Payments within ten minutes of a login from another country: somebody may be using an account that is not theirs. */
import { defineApp, json, StreamsBuilder, string } from '../../lib/index.js';

export interface Login {
  readonly country: string;
}

export interface Payment {
  readonly paymentId: string;
  readonly country: string;
  readonly amountCents: number;
}

export interface Suspicion extends Payment {
  readonly loginCountry: string;
}

/** By account, both: only records of one key meet, and both topics need one number of partitions. */
export const logins = { key: string(), value: json<Login>() };
export const payments = { key: string(), value: json<Payment>() };
export const suspicions = { key: string(), value: json<Suspicion>() };

const builder = new StreamsBuilder();

builder
  .stream('payments', payments)
  .join(builder.stream('logins', logins), {
    within: { before: '10m' }, // the login comes before the payment
    grace: '1m',
    joiner: (payment, login) => ({ ...payment, loginCountry: login.country }),
    value: suspicions.value,
    store: 'payments-with-logins',
  })
  .filter((_, { country, loginCountry }) => country !== loginCountry)
  .to('suspicious-payments');

export default defineApp({
  applicationId: 'suspicious-payments',
  topology: builder.build(),
  // Of two topics the one that lags may hold the login: wait for it that long before going on without.
  settings: { maxTaskIdleMs: 1_000 },
});
