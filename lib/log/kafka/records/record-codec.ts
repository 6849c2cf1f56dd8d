/** A compression of record batches, by the number and the name that Kafka has for it (`CompressionType`). */

export type CompressionName = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';

/** One way to compress the records of a batch. */
export interface RecordCodec {
  /** Number in the attributes of a batch. */
  readonly id: number;
  readonly name: CompressionName;
  /**
   * @param maxBytes bound of the result
   * @throws {CorruptRecordError} STREAMS_CORRUPT_RECORD · {RecordTooLargeError} STREAMS_RECORD_TOO_LARGE
   */
  decompress(bytes: Buffer, maxBytes: number): Buffer;
  /** Absent where this Node can only read it: Zstandard before Node 22.15. */
  readonly compress: ((bytes: Buffer) => Buffer) | undefined;
}
