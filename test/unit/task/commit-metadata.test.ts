import { expect, test } from 'vitest';
import { decodeCommitMetadata, encodeCommitMetadata } from '../../../lib/task/commit-metadata.js';

test("the text is Kafka Streams': version 2, partition time big-endian, base64", () => {
  const text = encodeCommitMetadata({ partitionTimeMs: 1_000, processorMetadata: new Uint8Array(0) });

  expect(text).toBe('AgAAAAAAAAPo');
});

test('version 1, which older Kafka Streams wrote, is read', () => {
  expect(decodeCommitMetadata('AQAAAAAAAAPo').partitionTimeMs).toBe(1_000);
});

test.each([
  ['nothing', ''],
  ['no base64', 'hello, world!'],
  ['another version', 'AwAAAAAAAAPo'],
  ['too few bytes', 'AgAAAA=='],
  ['an unknown partition time', encodeCommitMetadata({ partitionTimeMs: -1, processorMetadata: new Uint8Array(0) })],
])('metadata that says nothing is ignored: %s', (_, text) => {
  expect(decodeCommitMetadata(text)).toEqual({ partitionTimeMs: -1, processorMetadata: new Uint8Array(0) });
});
