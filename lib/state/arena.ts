/**
 * Memory for records of bytes, off the JavaScript heap: chunks that are filled one after the other, and emptied by moving what
 * still lives in them.
 *
 * An address is 32 bits: which chunk, and how many units of 8 bytes into it. A chunk is small where the arena is (a store of ten
 * keys costs a few kilobytes) and a megabyte where it has grown; a record of half a megabyte or more has a chunk of its own.
 *
 * Invariants
 *   A1  the records of a chunk lie one after the other from its beginning, dead ones included, so that it can be walked
 *   A2  beyond `COMPACT_FROM_BYTES` at most about `MAX_DEAD_SHARE` of the bytes in use are dead: each `free` above that empties one chunk
 *   A3  an address is good until the next `allocate` or `free`: they may move records. Who keeps one longer is told by `Moved`
 */
import { InternalError } from '../model/errors.js';

const UNIT_BYTES = 8;
const UNIT_BITS = 17;
const UNIT_MASK = 2 ** UNIT_BITS - 1;
/** Size of a chunk of a store that has grown. */
const CHUNK_BYTES = UNIT_BYTES * 2 ** UNIT_BITS;
const FIRST_CHUNK_BYTES = 4_096;
/** A new chunk is about this part of what lives: so much at most is taken and not used yet. */
const CHUNK_SHARE = 0.25;
/** Chunks at most: as many as an address can tell apart. */
const CHUNKS_MAX = 2 ** (32 - UNIT_BITS) - 1;
/** A record from this size on has a chunk of its own. */
const OWN_CHUNK_BYTES = CHUNK_BYTES / 2;
const MAX_DEAD_SHARE = 0.25;
const COMPACT_FROM_BYTES = 16_384;

/** One piece of memory, in the three widths in which records are read. */
export interface Chunk {
  readonly bytes: Buffer;
  readonly words: Uint32Array;
  readonly doubles: Float64Array;
  /** Bytes used from the beginning. */
  used: number;
  /** Of these, how many belong to records that were freed. */
  dead: number;
}

/** What the arena has to know of records to move them. */
export interface Records {
  /** Bytes of the record at this unit of a chunk, as they were allocated. */
  sizeAt(chunk: Chunk, unit: number): number;
  /** Whether the record there is the living one. */
  livesAt(chunk: Chunk, unit: number, address: number): boolean;
  /** The record there now lies at `address`. */
  moved(chunk: Chunk, unit: number, address: number): void;
}

export class Arena {
  /** By number; a number whose chunk was given back has a chunk without memory. */
  readonly chunks: Chunk[] = [];
  private readonly records: Records;
  private readonly freeNumbers: number[] = [];
  private current = -1;
  /** Bytes of all chunks, the free space at their ends included. */
  private heldBytes = 0;
  private usedBytes = 0;
  private deadBytes = 0;
  private spare: Chunk | null = null;

  constructor(records: Records) {
    this.records = records;
  }

  /** Bytes taken from the system. */
  get sizeBytes(): number {
    return this.heldBytes;
  }

  /** Bytes of records that live. */
  get liveBytes(): number {
    return this.usedBytes - this.deadBytes;
  }

  /** The address of `size` bytes, rounded up to whole units, whose content is anything. */
  allocate(size: number): number {
    const rounded = roundUp(size);
    if (rounded >= OWN_CHUNK_BYTES) return this.take(this.addChunk(rounded), rounded);
    const chunk = this.chunks[this.current];
    if (chunk === undefined || chunk.used + rounded > chunk.bytes.length) this.current = this.nextChunk(rounded);
    return this.take(this.current, rounded);
  }

  /** Gives the bytes at an address back. Other records may have moved afterwards (A3). */
  free(address: number, size: number): void {
    const rounded = roundUp(size);
    const number = address >>> UNIT_BITS;
    const chunk = this.chunks[number] as Chunk;
    chunk.dead += rounded;
    this.deadBytes += rounded;
    if (chunk.dead === chunk.used) this.release(number);
    else if (this.deadBytes > COMPACT_FROM_BYTES && this.deadBytes > this.usedBytes * MAX_DEAD_SHARE) this.compactOne();
  }

  clear(): void {
    this.chunks.length = 0;
    this.freeNumbers.length = 0;
    this.current = -1;
    this.spare = null;
    this.heldBytes = 0;
    this.usedBytes = 0;
    this.deadBytes = 0;
  }

  private take(number: number, rounded: number): number {
    const chunk = this.chunks[number] as Chunk;
    const at = chunk.used;
    chunk.used += rounded;
    this.usedBytes += rounded;
    return ((number << UNIT_BITS) | (at / UNIT_BYTES)) >>> 0;
  }

  private nextChunk(rounded: number): number {
    if (this.spare !== null && this.spare.bytes.length >= rounded) {
      const { spare } = this;
      this.spare = null;
      spare.used = 0;
      spare.dead = 0;
      return this.place(spare);
    }
    let size = FIRST_CHUNK_BYTES;
    while (size < CHUNK_BYTES && (size < this.liveBytes * CHUNK_SHARE || size < rounded)) size *= 2;
    return this.addChunk(size);
  }

  private addChunk(size: number): number {
    const memory = new ArrayBuffer(size);
    this.heldBytes += size;
    return this.place({
      bytes: Buffer.from(memory),
      words: new Uint32Array(memory),
      doubles: new Float64Array(memory),
      used: 0,
      dead: 0,
    });
  }

  private place(chunk: Chunk): number {
    const number = this.freeNumbers.pop() ?? this.chunks.length;
    if (number > CHUNKS_MAX) throw new InternalError(`a store is full: it has ${this.heldBytes} bytes`);
    this.chunks[number] = chunk;
    return number;
  }

  /** A chunk in which nothing lives: begun again if it is the one in use, else given back, but for one kept at hand. */
  private release(number: number): void {
    const chunk = this.chunks[number] as Chunk;
    this.usedBytes -= chunk.used;
    this.deadBytes -= chunk.dead;
    chunk.used = 0;
    chunk.dead = 0;
    if (number === this.current) return;
    this.chunks[number] = NO_CHUNK;
    this.freeNumbers.push(number);
    const { length } = chunk.bytes;
    const isOfUse = length <= CHUNK_BYTES && length <= this.liveBytes * CHUNK_SHARE;
    if (isOfUse && this.spare === null) this.spare = chunk;
    else this.heldBytes -= length;
  }

  /** Moves what lives in the chunk that has most dead bytes to the others (A2). */
  private compactOne(): void {
    let emptiest = -1;
    let most = 0;
    for (const [number, { dead, bytes }] of this.chunks.entries()) {
      // Of two equally dead the smaller one is less work.
      if (dead > most || (dead === most && emptiest >= 0 && bytes.length < this.sizeOf(emptiest))) {
        emptiest = number;
        most = dead;
      }
    }
    if (emptiest < 0) return;
    if (emptiest === this.current) this.current = -1;
    this.moveAll(emptiest);
    this.release(emptiest);
  }

  private sizeOf(number: number): number {
    return (this.chunks[number] as Chunk).bytes.length;
  }

  private moveAll(number: number): void {
    const from = this.chunks[number] as Chunk;
    const end = from.used / UNIT_BYTES;
    for (let unit = 0; unit < end; ) {
      const size = roundUp(this.records.sizeAt(from, unit));
      const address = ((number << UNIT_BITS) | unit) >>> 0;
      if (this.records.livesAt(from, unit, address)) {
        const target = this.allocate(size);
        const to = this.chunks[target >>> UNIT_BITS] as Chunk;
        const at = (target & UNIT_MASK) * UNIT_BYTES;
        to.bytes.set(from.bytes.subarray(unit * UNIT_BYTES, unit * UNIT_BYTES + size), at);
        this.records.moved(from, unit, target);
        from.dead += size;
        this.deadBytes += size;
      }
      unit += size / UNIT_BYTES;
    }
  }
}

const NO_CHUNK: Chunk = {
  bytes: Buffer.alloc(0),
  words: new Uint32Array(0),
  doubles: new Float64Array(0),
  used: 0,
  dead: 0,
};

/** Which chunk an address lies in. */
export function chunkOf(address: number): number {
  return address >>> UNIT_BITS;
}

/** How many units into its chunk an address lies. */
export function unitOf(address: number): number {
  return address & UNIT_MASK;
}

/** Whether a record may take the place of another: both occupy the same units. */
export function fillsSame(size: number, other: number): boolean {
  return roundUp(size) === roundUp(other);
}

/** Bytes that a record of this size occupies. */
export function roundUp(size: number): number {
  return (size + UNIT_BYTES - 1) & ~(UNIT_BYTES - 1);
}
