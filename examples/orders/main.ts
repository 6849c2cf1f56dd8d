import { tryOut } from '../try-out.js';
import customerTotals, { orders, totals } from './customer-totals.js';

const updates = await tryOut(customerTotals, {
  topics: ['orders', 'customer-totals'],
  settings: { statestoreCacheMaxBytes: 0 }, // every update, not the last one of each commit
  input: (streams) =>
    streams.append('orders', orders, [
      { key: 'order-1', value: { customerId: 'ada', amountCents: 1_200 } },
      { key: 'order-2', value: { customerId: 'bob', amountCents: 350 } },
      { key: 'order-3', value: { customerId: 'ada', amountCents: 0 } },
      { key: 'order-4', value: { customerId: 'ada', amountCents: 800 } },
    ]),
  output: (streams) => streams.read('customer-totals', totals),
});

for (const { key, value } of updates) console.log(`${key}: ${value?.amountCents} cents (orders: ${value?.orders})`);
