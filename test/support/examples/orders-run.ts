import customerTotals, { type Order, orders, type Total, totals } from '../../../examples/orders/customer-totals.js';
import { type ExampleRun, groupsOf, lastByKey, sorted } from './example-run.js';
import { madeUp } from './made-up.js';

const ORDERS = 600;
const CUSTOMERS = ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn', 'gro'];

export function ordersRun(): ExampleRun {
  const chance = madeUp(2);
  const records = Array.from({ length: ORDERS }, (_, index) => ({
    key: `order-${index}`,
    value: { customerId: chance.pick(CUSTOMERS), amountCents: chance.between(-200, 2_000) },
  }));
  return {
    name: 'orders',
    app: customerTotals,
    topics: ['orders', 'customer-totals'],
    input: (streams) => streams.append('orders', orders, records),
    output: async (streams) =>
      lastByKey((await streams.read('customer-totals', totals)).map(({ key, value }) => ({ key: String(key), value }))),
    wanted: totalsOf(records.map(({ value }) => value)),
  };
}

function totalsOf(given: readonly Order[]): Readonly<Record<string, Total>> {
  const paid = given.filter(({ amountCents }) => amountCents > 0);
  const totalOf = (own: readonly Order[]) => ({
    orders: own.length,
    amountCents: own.reduce((sum, { amountCents }) => sum + amountCents, 0),
  });
  const byCustomer = groupsOf(paid, ({ customerId }) => customerId);
  return sorted([...byCustomer].map(([customer, own]) => [customer, totalOf(own)] as const));
}
