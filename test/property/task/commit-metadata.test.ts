import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCommitMetadata, encodeCommitMetadata } from '../../../lib/task/commit-metadata.js';

test('partition time and processor metadata come back as they were committed', () => {
  const metadata = fc.record({ partitionTimeMs: fc.maxSafeNat(), processorMetadata: fc.uint8Array() });
  fc.assert(
    fc.property(metadata, ({ partitionTimeMs, processorMetadata }) => {
      const read = decodeCommitMetadata(encodeCommitMetadata({ partitionTimeMs, processorMetadata }));

      expect(read.partitionTimeMs).toBe(partitionTimeMs);
      expect([...read.processorMetadata]).toEqual([...processorMetadata]);
    }),
  );
});

test('whatever text was committed, reading it does not fail', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
      expect(decodeCommitMetadata(text).partitionTimeMs).toBeGreaterThanOrEqual(-1);
    }),
  );
});
