/** What `simulate` infers, and what it refuses. Checked by the compiler alone (`npm run test:types`). */
import { expectTypeOf } from 'vitest';
import { json, long, type StreamsApp, string } from '../../lib/index.js';
import { type SimulatedRecord, type SimulationReport, simulate } from '../../lib/testing/index.js';

interface Order {
  readonly id: string;
  readonly amount: number;
}
declare const app: StreamsApp;
declare class Ledger {
  readonly entries: string[];
  write(entry: string): number;
}
const orders = { key: string(), value: json<Order>(), records: [{ key: 'a', value: { id: 'a', amount: 1 } }] };
const serdes = { key: string(), value: long() };

// Types of records are those of the serdes, and reach the check.
expectTypeOf(
  simulate(app, {
    inputs: {
      orders,
      counts: { key: long(), value: string(), records: (chance) => [{ key: chance.below(3), value: null }] },
    },
    faults: ['crash', 'freeze'],
    seeds: { from: 1, count: 3 },
    outputs: { sums: 'last' },
    check({ inputs, outputs, reference }) {
      expectTypeOf(inputs('orders')).toEqualTypeOf<readonly SimulatedRecord<string | null, Order | null>[]>();
      expectTypeOf(inputs('counts')).toEqualTypeOf<readonly SimulatedRecord<number | null, string | null>[]>();
      expectTypeOf(outputs('sums', { key: string(), value: long() })).toEqualTypeOf<
        readonly SimulatedRecord<string, number>[]
      >();
      expectTypeOf(reference.outside).toEqualTypeOf<undefined>();
      // @ts-expect-error no input of that name
      inputs('order');
    },
  }),
).toEqualTypeOf<Promise<SimulationReport>>();

// What is outside reaches the application and the check; over the network everything answers promises.
void simulate(
  ({ outside, remote }) => {
    expectTypeOf(outside).toEqualTypeOf<Ledger>();
    expectTypeOf(remote(outside).write).toEqualTypeOf<(entry: string) => Promise<number>>();
    return app;
  },
  {
    inputs: { orders },
    outside: () => new Ledger(),
    check: ({ outside }) => expectTypeOf(outside).toEqualTypeOf<Ledger>(),
  },
);

// @ts-expect-error no fault is called so
void simulate(app, { inputs: { orders }, faults: ['earthquake'] });
// @ts-expect-error one that loses input for good is not for users
void simulate(app, { inputs: { orders }, faults: ['input-lost'] });
// @ts-expect-error no comparison is called so
void simulate(app, { inputs: { orders }, outputs: { sums: 'similar' } });
// @ts-expect-error a text is no number
void simulate(app, { inputs: { counts: { ...serdes, records: [{ key: 'a', value: 'one' }] } } });
// @ts-expect-error nor where records are drawn
void simulate(app, { inputs: { counts: { ...serdes, records: () => [{ key: 'a', value: 'one' }] } } });
// @ts-expect-error a key of the wrong type
void simulate(app, { inputs: { counts: { ...serdes, records: [{ key: 1, value: 1 }] } } });
// @ts-expect-error both serdes are needed
void simulate(app, { inputs: { counts: { key: string(), records: [] } } });
// @ts-expect-error inputs are needed
void simulate(app, { seeds: 3 });
