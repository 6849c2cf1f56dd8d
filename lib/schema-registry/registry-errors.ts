import { SerializationError, type StreamsError, UnavailableError } from '../model/errors.js';
import { messageOf } from '../model/thrown.js';
import type { SchemaInfo } from './registry-client.js';

/** Answers that are the registry's last word on a schema: it is not there, not compatible, or not valid. */
const REFUSALS: ReadonlySet<number> = new Set([404, 409, 422]);

/** The HTTP status of what a client threw, or undefined if there was no answer. */
export function statusOf(thrown: unknown): number | undefined {
  const status: unknown =
    typeof thrown === 'object' && thrown !== null && 'status' in thrown ? thrown.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

/** What a registry's failure to register or to find a schema means: a refusal is for good, anything else is tried again. */
export function subjectError(thrown: unknown, subject: string, { schemaType }: SchemaInfo): StreamsError {
  const status = statusOf(thrown);
  if (status === undefined || !REFUSALS.has(status)) return unavailable(thrown, `subject ${subject}`);
  return new SerializationError(
    `subject ${subject}: the schema registry has no place for the schema: ${messageOf(thrown)}`,
    {
      cause: thrown,
      details: { subject, schemaType, status },
      remedy:
        status === 404
          ? 'Register the schema under the subject first, or let it be registered (autoRegister).'
          : 'Make the schema compatible with those of its subject, or give it a subject of its own.',
    },
  );
}

export function unavailable(thrown: unknown, what: string): UnavailableError {
  const status = statusOf(thrown);
  return new UnavailableError(`the schema registry does not answer for ${what}: ${messageOf(thrown)}`, {
    cause: thrown,
    details: { what, status },
    ...(status === 401 || status === 403 ? { remedy: 'Look at the credentials of the schema registry.' } : {}),
  });
}
