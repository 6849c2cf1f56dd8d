import { describe, expect, it } from 'vitest';
import { schemaRegistry } from '../../../lib/schema-registry/index.js';
import { jsonSchema } from '../../../lib/schema-registry/json-schema/index.js';
import { MemoryRegistry } from '../../support/schema-registry/memory-registry.js';
import { read, written } from '../../support/schema-registry/round-trip.js';

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Order',
  type: 'object',
  properties: { id: { type: 'string' }, lines: { type: 'array', items: { properties: { n: { type: 'integer' } } } } },
  required: ['id'],
};
const registryOf = (client = new MemoryRegistry()) => schemaRegistry({ client });

describe('a value of a JSON schema', () => {
  it('is a zero byte, the id of the schema and JSON', async () => {
    const order = jsonSchema<{ id: string }>({ registry: registryOf(), schema });

    const bytes = await written(order, { id: 'ö' });

    expect(bytes.toString('latin1', 0, 5)).toBe('\0\0\0\0\u0001');
    expect(bytes.toString('utf8', 5)).toBe('{"id":"ö"}');
    expect(await read(order, bytes)).toEqual({ id: 'ö' });
  });

  it('is refused if the schema refuses it, written or read, with path and message', async () => {
    const registry = registryOf();
    const order = jsonSchema<unknown>({ registry, schema });
    const trusting = jsonSchema<unknown>({ registry, schema, validate: false });
    const bad = { lines: [{ n: 'x' }] };

    await expect(written(order, bad)).rejects.toThrow("must have required property 'id'; lines.0.n: must be integer");
    await expect(read(order, await written(trusting, bad))).rejects.toThrow('lines.0.n: must be integer');
    expect(await read(trusting, await written(trusting, bad))).toEqual(bad);
  });

  it.each([
    ['2020-12', 'https://json-schema.org/draft/2020-12/schema', 'prefixItems'],
    ['2019-09', 'https://json-schema.org/draft/2019-09/schema', 'items'],
  ])('may be of draft %s', async (_, $schema, tuple) => {
    const pair = jsonSchema<unknown>({ registry: registryOf(), schema: { $schema, [tuple]: [{ type: 'string' }] } });

    await expect(written(pair, [1])).rejects.toThrow('0: must be string');
    expect(await read(pair, await written(pair, ['a']))).toEqual(['a']);
  });

  it('may refer to schemas of other subjects', async () => {
    const money = JSON.stringify({ type: 'object', required: ['cents'] });
    const bill = jsonSchema<unknown>({
      registry: registryOf(),
      schema: { type: 'object', properties: { total: { $ref: 'money.json' } } },
      references: [{ name: 'money.json', subject: 'money', version: 1, schema: money }],
    });

    await expect(written(bill, { total: {} })).rejects.toThrow("total: must have required property 'cents'");
  });

  it('that is no schema is refused when the serde is made', () => {
    expect(() => jsonSchema({ registry: registryOf(), schema: { type: 'strnig' } })).toThrow('the JSON schema is none');
  });
});
