/** What is wrong with compressed bytes, in our words. */
import { CorruptRecordError, RecordTooLargeError, StreamsError } from '../../../model/errors.js';

export function corruptCompression(codec: string, what: string): CorruptRecordError {
  return new CorruptRecordError(`${codec}: ${what}`, { details: { codec } });
}

export function decompressesTooFar(codec: string, maxBytes: number, cause?: unknown): RecordTooLargeError {
  return new RecordTooLargeError(`a batch decompresses to more than ${maxBytes} bytes`, {
    cause,
    details: { codec, maxBytes },
    remedy: 'Make the batches of its producer smaller: batch.size, linger.ms.',
  });
}

/** Runs a decompressor that is not ours; whatever it throws becomes one of our errors. */
export function guarded(codec: string, maxBytes: number, decompress: () => Buffer): Buffer {
  try {
    return decompress();
  } catch (cause) {
    if (cause instanceof StreamsError) throw cause;
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE')
      throw decompressesTooFar(codec, maxBytes, cause);
    throw new CorruptRecordError(`${codec}: bytes can not be decompressed`, { cause, details: { codec } });
  }
}
