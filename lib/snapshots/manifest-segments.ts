/** The segments of a manifest as JSON: keys are bytes, so they are written in base64. */
import { type ByteKey, byteKey, bytesOfKey } from '../model/byte-key.js';
import type { SegmentReference } from './segment-format.js';

interface SegmentJson extends Omit<SegmentReference, 'firstKey' | 'lastKey' | 'mergedTo'> {
  readonly firstKey: string;
  readonly lastKey: string;
  readonly mergedTo?: string;
}

export function segmentToJson({ mergedTo, ...segment }: SegmentReference): SegmentJson {
  return {
    ...segment,
    firstKey: toText(segment.firstKey),
    lastKey: toText(segment.lastKey),
    ...(mergedTo === undefined ? {} : { mergedTo: toText(mergedTo) }),
  };
}

export function segmentFromJson({ mergedTo, ...segment }: SegmentJson): SegmentReference {
  return {
    ...segment,
    firstKey: fromText(segment.firstKey),
    lastKey: fromText(segment.lastKey),
    ...(mergedTo === undefined ? {} : { mergedTo: fromText(mergedTo) }),
  };
}

function toText(key: ByteKey): string {
  return Buffer.from(bytesOfKey(key)).toString('base64');
}

function fromText(text: string): ByteKey {
  return byteKey(Buffer.from(text, 'base64'));
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
    (fields.level === 'base' || fields.level === 'delta') &&
    (fields.mergedTo === undefined || typeof fields.mergedTo === 'string')
  );
}
