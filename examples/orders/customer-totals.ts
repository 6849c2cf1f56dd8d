/** What each customer has ordered so far. Orders come by their own ids, so they move to where their customer is summed up. */
import { defineApp, json, StreamsBuilder, string } from '../../lib/index.js';

export interface Order {
  readonly customerId: string;
  readonly amountCents: number;
}

export interface Total {
  readonly orders: number;
  readonly amountCents: number;
}

export const orders = { key: string(), value: json<Order>() };
export const totals = { key: string(), value: json<Total>() };

const builder = new StreamsBuilder();

builder
  .stream('orders', orders)
  .filter((_, order) => order.amountCents > 0)
  .groupBy((_, order) => order.customerId, { name: 'by-customer' })
  .aggregate({
    init: () => ({ orders: 0, amountCents: 0 }),
    add: (_, order, total) => ({
      orders: total.orders + 1,
      amountCents: total.amountCents + order.amountCents,
    }),
    value: totals.value,
    store: 'totals',
  })
  .toStream()
  .to('customer-totals');

export default defineApp({ applicationId: 'customer-totals', topology: builder.build() });
