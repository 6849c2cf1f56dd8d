/** Reading events: plain JSON from outside, of which nothing is believed. Every refusal is STREAMS_INVALID_PAYLOAD. */
import { InvalidPayloadError } from '../model/errors.js';

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws {InvalidPayloadError} STREAMS_INVALID_PAYLOAD unless the value is an object; `where` names it in the message */
export function fieldsOf(value: unknown, where: string): Fields {
  if (!isFields(value)) throw refused(where, value, 'an object');
  return value;
}

/** @throws {InvalidPayloadError} STREAMS_INVALID_PAYLOAD */
export function listOf(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw refused(where, value, 'a list');
  return value;
}

/** A text of at least one character. @throws {InvalidPayloadError} STREAMS_INVALID_PAYLOAD */
export function textOf(value: unknown, where: string): string {
  if (typeof value !== 'string' || value === '') throw refused(where, value, 'a text');
  return value;
}

/** A whole number from 0 to 2^53 − 2, so that the next one is safe too. @throws {InvalidPayloadError} STREAMS_INVALID_PAYLOAD */
export function countOf(value: unknown, where: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value + 1) || value < 0)
    throw refused(where, value, 'a whole number from 0 to 2^53 − 2');
  return value;
}

/** @throws {InvalidPayloadError} STREAMS_INVALID_PAYLOAD unless the text is JSON */
export function jsonOf(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidPayloadError(`${where}: the text is no JSON`, { cause });
  }
}

function refused(where: string, value: unknown, wanted: string): InvalidPayloadError {
  const given = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  return new InvalidPayloadError(`${where}: ${given} was given, ${wanted} is wanted`, { details: { where } });
}
