/**
 * All that is not deterministic, as ports: the clock, chance, words to the outside, compression and checksums.
 * The inside takes these as arguments; a simulation gives virtual ones.
 */

export interface Clock {
  /** Wall clock, milliseconds since the epoch. May jump; never compared with another machine's. */
  now(): number;
  /** Milliseconds on a clock that only moves forward; its zero has no meaning. */
  monotonic(): number;
  /**
   * Resolves after `ms` milliseconds.
   *
   * @throws {AbortedError} STREAMS_ABORTED as soon as the signal fires
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** A new identifier, `[0-9a-f]{16}`: unique for practical purposes, reproducible in a simulation. */
  id(): string;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** Structured lines: an event name in kebab-case (`restore-started`) and its fields. */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  /** @param thrown the error that the line tells of, for those who want more of it than its code and message: lines have its `stack` */
  error(event: string, fields?: LogFields, thrown?: unknown): void;
  /** A logger that adds these fields to each line. */
  child(fields: LogFields): Logger;
}

export type MetricTags = Readonly<Record<string, string>>;

export interface Metrics {
  /** Adds to a counter, e.g. `records-processed`. */
  count(name: string, value: number, tags?: MetricTags): void;
  /** Sets a gauge, e.g. `lag-records`; the unit is the last word of the name. */
  gauge(name: string, value: number, tags?: MetricTags): void;
}

/** Compression of snapshot blocks, known by the byte that the format stores. */
export interface Codec {
  /** Ids in the order of preference for writing; 0 is always there and means "as it is". */
  readonly ids: readonly number[];
  compress(id: number, bytes: Uint8Array): Uint8Array;
  /**
   * @param sizeBytes what comes out, as whoever wrote it says: so much memory is taken for it at once. It may be wrong
   * @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED for an unknown id or broken bytes
   */
  decompress(id: number, bytes: Uint8Array, sizeBytes?: number): Uint8Array;
  /** The same beside the caller, on another thread. Absent where nothing runs beside it, as in virtual time. Errors as `decompress`. */
  decompressAside?(id: number, bytes: Uint8Array, sizeBytes?: number): Promise<Uint8Array>;
}

export interface Digest {
  /** CRC-32C of the bytes, unsigned. */
  crc32c(bytes: Uint8Array): number;
  /** SHA-256 as lower-case hex. */
  sha256(bytes: Uint8Array): string;
}

export interface Host {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly codec: Codec;
  readonly digest: Digest;
}
