import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { defineApp, json, type Serde, StreamsBuilder, string } from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/index.js';

interface Order {
  id: string;
  lines: { amount: number }[];
}

/** The same schema, as each library says it. */
const libraries = {
  zod: json(z.object({ id: z.string(), lines: z.array(z.object({ amount: z.number() })) })),
  valibot: json(v.object({ id: v.string(), lines: v.array(v.object({ amount: v.number() })) })),
  arktype: json(type({ id: 'string', lines: type({ amount: 'number' }).array() })),
};
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

describe.each(Object.entries(libraries))('json with a schema of %s', (_, order) => {
  it('reads what the schema takes, as what it makes of it', () => {
    expectTypeOf(order).toExtend<Serde<Order>>();
    const value: Order = { id: 'a', lines: [{ amount: 1 }] };

    expect(order.deserialize(order.serialize(value))).toEqual(value);
  });

  it('refuses anything else, by path and message', () => {
    expect(() => order.deserialize(bytesOf({ id: 'a', lines: [{ amount: 1 }, { amount: 'much' }] }))).toThrow(
      /the schema refuses the value: lines\.1\.amount: .*number/,
    );
    expect(() => order.deserialize(bytesOf({ id: 5, lines: [] }))).toThrow(/: id: .*string/);
    expect(() => order.deserialize(bytesOf('text'))).toThrow('the schema refuses the value');
  });

  it('lets the handler decide about a record that the schema refuses', async () => {
    const builder = new StreamsBuilder();
    builder.stream('orders', { key: string(), value: order as Serde<Order> }).to('out');
    const app = defineApp({
      applicationId: 'app',
      topology: builder.build(),
      settings: { deserializationExceptionHandler: 'continue' },
    });
    const driver = await TopologyTestDriver.start(app);

    await driver.pipeRaw('orders', null, bytesOf({ id: 1 }), 0);
    await driver.pipeRaw('orders', null, bytesOf({ id: 'b', lines: [] }), 1);

    expect(driver.readOutputs('out').map(({ value }) => value)).toEqual([{ id: 'b', lines: [] }]);
  });
});

describe('json with a schema that transforms', () => {
  it.each([
    ['zod', json(z.object({ at: z.string().transform(Number) }))],
    ['valibot', json(v.object({ at: v.pipe(v.string(), v.transform(Number)) }))],
    ['arktype', json(type({ at: 'string.numeric.parse' }))],
  ])('of %s reads its output', (_, serde) => {
    expect(serde.deserialize(bytesOf({ at: '5' }))).toEqual({ at: 5 });
  });
});

describe('what an application writes itself', () => {
  const transforming = json(z.object({ at: z.string().transform(Number) }));
  const behind = (build: (builder: StreamsBuilder) => unknown) => {
    const builder = new StreamsBuilder();
    build(builder);
    return TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));
  };

  it('and a schema that transforms does not read, is an error that says so', async () => {
    const repartitioned = await behind((builder) =>
      builder
        .stream('in', { key: string(), value: transforming })
        .groupBy((key) => `${key}!`)
        .count(),
    );
    const stored = await behind((builder) =>
      builder
        .stream('in', { key: string(), value: transforming })
        .groupByKey()
        .reduce((first) => first),
    );
    const refusal = {
      code: 'STREAMS_DESERIALIZATION_FAILED',
      remedy: expect.stringContaining('A schema that transforms does not'),
    };

    await expect(repartitioned.pipeRaw('in', Buffer.from('k'), bytesOf({ at: '5' }), 0)).rejects.toMatchObject(refusal);
    await stored.pipeRaw('in', Buffer.from('k'), bytesOf({ at: '5' }), 0);
    await expect(stored.pipeRaw('in', Buffer.from('k'), bytesOf({ at: '6' }), 1)).rejects.toMatchObject(refusal);
  });

  it('is read by a serde of what the schema makes', async () => {
    const driver = await behind((builder) =>
      builder
        .stream('in', { key: string(), value: transforming })
        .mapValues((value) => value, { value: json<{ at: number }>() })
        .groupBy((key) => `${key}!`)
        .reduce((sum, { at }) => ({ at: sum.at + at }))
        .toStream()
        .to('out'),
    );
    for (const at of ['5', '6']) await driver.pipeRaw('in', Buffer.from('k'), bytesOf({ at }), 0);

    expect(driver.readOutputs('out').map(({ value }) => value)).toEqual([{ at: 5 }, { at: 11 }]);
  });
});

describe('json with a schema that validates asynchronously', () => {
  it.each([
    ['zod', json(z.object({ id: z.string().refine(async () => true) }))],
    [
      'valibot',
      json(
        v.objectAsync({
          id: v.pipeAsync(
            v.string(),
            v.checkAsync(async () => true),
          ),
        }),
      ),
    ],
  ])('of %s is refused by name, and waits for nothing', (vendor, serde) => {
    expect(() => serde.deserialize(bytesOf({ id: 'a' }))).toThrow(`the ${vendor} schema validates asynchronously`);
  });
});
