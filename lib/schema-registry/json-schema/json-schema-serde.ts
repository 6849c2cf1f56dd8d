import { Ajv, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { kindOfValue } from '../../model/kind-of-value.js';
import type { Serde } from '../../serde/serde.js';
import { ownSchema, parsed, type ReferencedSchema } from '../own-schema.js';
import { type RegistrySerdeOptions, registrySerde } from '../registry-serde.js';
import type { KnownSchema } from '../schema-registry.js';

/** Faults named in an error. */
const FAULTS_NAMED_MAX = 5;

export interface JsonSchemaOptions extends RegistrySerdeOptions {
  /** Of draft 7, 2019-09 or 2020-12, as its `$schema` says; draft 7 if it says nothing. */
  readonly schema: { readonly [name: string]: unknown };
  readonly references?: readonly ReferencedSchema[];
  /** Whether values are held to the schema (`json.fail.invalid.schema`), on both sides; default true. Formats are not looked at. */
  readonly validate?: boolean;
}

/**
 * JSON with its schema in a registry, byte for byte as `KafkaJsonSchemaSerializer` writes it. What is read is held to this schema,
 * whichever version it was written with: that is what the program relies on.
 *
 * @param T the values as the program sees them; nothing checks that it is what the schema says
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if the schema is none
 *
 * @example
 * const order = jsonSchema<Order>({ registry, schema: { title: 'Order', type: 'object', required: ['id'] } });
 */
export function jsonSchema<T>({ schema, references, validate = true, ...options }: JsonSchemaOptions): Serde<T> {
  const { info, own } = ownSchema('JSON', JSON.stringify(schema), references);
  const check = parsed('JSON', () => validatorOf(own));
  const expectValid = validate ? (value: unknown) => expectNoFaults(check, value) : () => undefined;
  return registrySerde<T>(
    {
      info,
      own,
      recordName: typeof schema.title === 'string' ? schema.title : null,
      write: (value) => {
        expectValid(value);
        return jsonBytes(value);
      },
      readerOf: () => (bytes, start, end) => {
        const value: unknown = JSON.parse(bytes.toString('utf8', start, end));
        expectValid(value);
        return value as T;
      },
    },
    options,
  );
}

function jsonBytes(value: unknown): Buffer {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`${kindOfValue(value)} has no JSON`);
  return Buffer.from(text, 'utf8');
}

function expectNoFaults(check: ValidateFunction, value: unknown): void {
  if (check(value) === true) return;
  const faults = check.errors ?? [];
  const named = faults.slice(0, FAULTS_NAMED_MAX).map(inWords);
  const more = faults.length - named.length;
  throw new TypeError(`the schema refuses the value: ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}`);
}

function inWords({ instancePath, message = 'is refused' }: ErrorObject): string {
  return instancePath === '' ? message : `${instancePath.slice(1).replaceAll('/', '.')}: ${message}`;
}

function validatorOf({ text, references }: KnownSchema): ValidateFunction {
  const schema = JSON.parse(text) as AnySchemaObject;
  const ajv = ajvFor(schema.$schema);
  for (const { name, text: of } of references) ajv.addSchema(JSON.parse(of) as AnySchemaObject, name);
  const check = ajv.compile(schema);
  if ('$async' in schema) throw new TypeError('it validates asynchronously');
  return check;
}

function ajvFor(dialect: unknown): Ajv {
  const options = { strict: false, validateFormats: false, allErrors: true };
  const name = typeof dialect === 'string' ? dialect : '';
  if (name.includes('2020-12')) return new Ajv2020(options);
  return name.includes('2019-09') ? new Ajv2019(options) : new Ajv(options);
}
