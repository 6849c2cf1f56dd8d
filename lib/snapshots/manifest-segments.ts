/** The segments of a manifest as JSON: keys are bytes, so they are written in base64. */
import { byteKey, bytesOfKey } from '../model/byte-key.js';
import type { SegmentReference } from './segment-format.js';

interface SegmentJson extends Omit<SegmentReference, 'firstKey' | 'lastKey'> {
  readonly firstKey: string;
  readonly lastKey: string;
}

export function segmentToJson(segment: SegmentReference): SegmentJson {
  return {
    ...segment,
    firstKey: Buffer.from(bytesOfKey(segment.firstKey)).toString('base64'),
    lastKey: Buffer.from(bytesOfKey(segment.lastKey)).toString('base64'),
  };
}

export function segmentFromJson(segment: SegmentJson): SegmentReference {
  return {
    ...segment,
    firstKey: byteKey(Buffer.from(segment.firstKey, 'base64')),
    lastKey: byteKey(Buffer.from(segment.lastKey, 'base64')),
  };
}

/** Whether a value read from JSON is a segment's reference. */
export function isSegmentReference(value: unknown): value is SegmentJson {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  return (
    ['name', 'firstKey', 'lastKey'].every((name) => typeof fields[name] === 'string') &&
    ['sizeBytes', 'entries', 'codec', 'crc'].every(
      (name) => Number.isSafeInteger(fields[name]) && Number(fields[name]) >= 0,
    ) &&
    (fields.level === 'base' || fields.level === 'delta')
  );
}
