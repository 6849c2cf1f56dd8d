import { expect, it } from 'vitest';
import customerTotals, { type Order, orders, totals } from '../../../examples/orders/customer-totals.js';
import { TopologyTestDriver } from '../../../lib/testing/index.js';

it('sums up the orders of each customer, whatever their ids, and leaves out those of nothing', async () => {
  const driver = await TopologyTestDriver.start(customerTotals);
  const order = (key: string, value: Order) => driver.pipeInput<string, Order>('orders', { key, value });

  await order('order-1', { customerId: 'ada', amountCents: 1_200 });
  await order('order-2', { customerId: 'bob', amountCents: 350 });
  await order('order-3', { customerId: 'ada', amountCents: 0 });
  await order('order-4', { customerId: 'ada', amountCents: 800 });

  expect(driver.readOutputs('customer-totals', totals)).toMatchObject([
    { key: 'ada', value: { orders: 1, amountCents: 1_200 } },
    { key: 'bob', value: { orders: 1, amountCents: 350 } },
    { key: 'ada', value: { orders: 2, amountCents: 2_000 } },
  ]);
  expect(driver.readOutputs('customer-totals-by-customer-repartition', orders).map(({ key }) => key)).toEqual([
    'ada',
    'bob',
    'ada',
  ]);
  await driver.close();
});

it('is two sub-topologies, so that each customer is summed up in one place', () => {
  const [cleaning, summing] = customerTotals.topology.subTopologies;

  expect(customerTotals.topology.subTopologies).toHaveLength(2);
  expect(cleaning).toMatchObject({ sourceTopics: ['orders'], stores: [] });
  expect(summing).toMatchObject({ sourceTopics: ['by-customer-repartition'], stores: ['totals'] });
});
