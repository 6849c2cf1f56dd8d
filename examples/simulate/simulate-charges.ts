/** Puts the application through faults, and counts what has been charged. */
import { json, string } from '../../lib/index.js';
import { type Chance, simulate } from '../../lib/testing/index.js';
import { chargesApp } from './charges-app.js';
import { type Charge, FakePayments } from './fake-payments.js';

const ORDERS = 40;

export function simulateCharges(options: { readonly isIdempotent: boolean; readonly seeds: number }) {
  return simulate(
    ({ outside, remote }) => chargesApp({ payments: remote(outside), isIdempotent: options.isIdempotent }),
    {
      inputs: { orders: { key: string(), value: json<Charge>(), partitions: 2, records: someOrders } },
      outside: () => new FakePayments(),
      seeds: options.seeds,
      check({ outside, inputs }) {
        const orders = inputs('orders').map(({ value }) => value?.card);
        for (const card of orders) {
          const times = outside.charges.filter((charge) => charge.card === card).length;
          if (times !== 1) throw new Error(`${card} was charged ${times} times for one order`);
        }
      },
    },
  );
}

/** One order of each card. */
function someOrders(chance: Chance) {
  return Array.from({ length: ORDERS }, (_, index) => ({
    key: `order-${index}`,
    value: { card: `card-${index}`, amount: chance.between(1, 100) },
  }));
}
