import type { StandardSchemaV1 } from '@standard-schema/spec';
import { isPromise } from '../model/awaitable.js';
import { asBuffer } from '../model/byte-key.js';
import { kindOfValue } from '../model/kind-of-value.js';
import type { Serde } from './serde.js';

/** Issues named in an error: enough to see what is wrong, bounded so that a bad record cannot fill a log. */
const MAX_ISSUES_NAMED = 5;

/**
 * A value as JSON text in UTF-8.
 *
 * With a schema (any Standard Schema: zod, valibot, arktype, …) what is read is validated, and the schema's output is the
 * value; its type is inferred. What is written is not validated: a schema that transforms would not take its own output.
 * Without a schema, `json<Order>()` trusts the bytes.
 *
 * Reading throws if the bytes are no JSON, if the schema refuses them, or if it validates asynchronously.
 *
 * @example
 * const order = json(z.object({ id: z.string(), amount: z.number() })); // Serde<{ id: string; amount: number }>
 */
export function json<S extends StandardSchemaV1>(schema: S): Serde<StandardSchemaV1.InferOutput<S>>;
export function json<T>(): Serde<T>;
export function json(schema?: StandardSchemaV1): Serde<unknown> {
  if (schema === undefined) return PLAIN;
  return Object.freeze({
    serialize: writeJson,
    deserialize: (bytes: Uint8Array) => validated(schema, readJson(asBuffer(bytes), 0, bytes.length)),
    deserializeRange: (bytes: Buffer, start: number, end: number) => validated(schema, readJson(bytes, start, end)),
  });
}

const PLAIN: Serde<unknown> = Object.freeze({
  format: 'json',
  serialize: writeJson,
  deserialize: (bytes: Uint8Array) => readJson(asBuffer(bytes), 0, bytes.length),
  deserializeRange: readJson,
});

function writeJson(value: unknown): Uint8Array {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`${kindOfValue(value)} has no JSON`);
  return Buffer.from(text, 'utf8');
}

function readJson(bytes: Buffer, start: number, end: number): unknown {
  return JSON.parse(bytes.toString('utf8', start, end));
}

function validated(schema: StandardSchemaV1, input: unknown): unknown {
  const result = schema['~standard'].validate(input);
  if (isPromise(result)) {
    result.catch(() => undefined); // refused below, whatever it would have said
    throw new TypeError(
      `the ${schema['~standard'].vendor} schema validates asynchronously; a serde needs the answer now`,
    );
  }
  if (result.issues !== undefined) throw new TypeError(describeIssues(result.issues));
  return result.value;
}

function describeIssues(issues: readonly StandardSchemaV1.Issue[]): string {
  const named = issues.slice(0, MAX_ISSUES_NAMED).map(({ path = [], message }) => {
    const at = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return at === '' ? message : `${at}: ${message}`;
  });
  const more = issues.length - named.length;
  return `the schema refuses the value: ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}
