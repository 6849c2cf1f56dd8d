/**
 * Names of objects: segments joined by `/`, as every store can keep them (a folder, S3).
 *
 * A segment is made of `A–Z a–z 0–9 . _ - %` and does not start with a dot; so a name never leaves its folder, and adapters
 * may keep files of their own under names that start with a dot. Texts from outside become segments by `nameSegment`.
 * No name is the folder of another one (`a` beside `a/b`): a folder can not keep both.
 */
import { InternalError } from '../model/errors.js';

/** Longest name in bytes: what S3 takes. */
const MAX_NAME_BYTES = 1_024;
/** Longest segment in bytes: what file systems take. */
const MAX_SEGMENT_BYTES = 255;

const SEGMENT = /^[A-Za-z0-9_%-][A-Za-z0-9._%-]*$/;

/**
 * Checks the name of an object.
 *
 * @throws {InternalError} STREAMS_INTERNAL if it is not of the form above
 */
export function checkObjectName(name: string): void {
  if (!isObjectName(name)) throw new InternalError(`'${name}' is no name for a snapshot object`, { details: { name } });
}

/** Whether a name is of the form above. */
export function isObjectName(name: string): boolean {
  return name.length <= MAX_NAME_BYTES && name.split('/').every(isSegment);
}

/** Any text as one segment: other characters, and a dot in front, are written as `%XX`. Different texts stay different. */
export function nameSegment(text: string): string {
  const encoded = encodeURIComponent(text).replace(/[!'()*~]/g, percent);
  return encoded.startsWith('.') ? `%2E${encoded.slice(1)}` : encoded;
}

function isSegment(segment: string): boolean {
  return segment.length <= MAX_SEGMENT_BYTES && SEGMENT.test(segment);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
