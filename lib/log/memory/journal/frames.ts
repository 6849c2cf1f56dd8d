/**
 * The file format of the journal: a header, then frames that follow one another.
 *
 * ```
 *   header  "MILLRACE LOG 1\n\0"                                                  16 bytes
 *   frame   length u32 · CRC-32C of the payload u32 · CRC-32C of these 8 bytes u32 · 0 u32     16 bytes
 *           payload, `length` bytes, padded with zeros to a multiple of 8
 * ```
 * Numbers are little-endian. Payloads lie at multiples of 8, so that columns can be used where they were read.
 *
 * A file may end in the middle of its last frame, or in zeros: that is a write which never finished, and is cut off. Anything
 * else that does not check out is corruption, and is refused: what follows it can't be trusted to be complete.
 */
import { readSync } from 'node:fs';
import type { Digest } from '../../../host/host.js';
import { InvalidFolderError } from '../../../model/errors.js';

export const FILE_HEADER = Buffer.from('MILLRACE LOG 1\n\0', 'latin1');
const FRAME_HEADER_BYTES = 16;
/** Read at once; a longer frame is read alone. */
const WINDOW_BYTES = 4 * 1024 * 1024;

/** A payload as a frame. */
export function frame(payload: Buffer, digest: Digest): Buffer {
  const framed = Buffer.alloc(FRAME_HEADER_BYTES + padded(payload.length));
  framed.writeUInt32LE(payload.length, 0);
  framed.writeUInt32LE(digest.crc32c(payload), 4);
  framed.writeUInt32LE(digest.crc32c(framed.subarray(0, 8)), 8);
  payload.copy(framed, FRAME_HEADER_BYTES);
  return framed;
}

/** `length` rounded up to a multiple of 8. */
export function padded(length: number): number {
  return Math.ceil(length / 8) * 8;
}

export interface ReadFrames {
  /** End of the last whole frame (exclusive): where the file is cut and written on. */
  readonly endBytes: number;
}

/**
 * Reads a journal file, frame by frame.
 *
 * @throws {InvalidFolderError} STREAMS_INVALID_FOLDER if the file is none of ours or corrupt before its end
 */
export function readFrames(
  file: { readonly fd: number; readonly path: string; readonly sizeBytes: number },
  digest: Digest,
  visit: (payload: Buffer) => void,
): ReadFrames {
  const window = new Window(file.fd, file.sizeBytes);
  if (!window.at(0, FILE_HEADER.length)?.equals(FILE_HEADER)) throw corrupt(file.path, 0, 'it does not begin as one');
  let position = FILE_HEADER.length;
  // Each turn moves on by a frame of at least its header.
  while (position < file.sizeBytes) {
    const header = window.at(position, FRAME_HEADER_BYTES);
    if (header === null) return { endBytes: position };
    if (digest.crc32c(header.subarray(0, 8)) !== header.readUInt32LE(8)) {
      if (window.isZeroFrom(position)) return { endBytes: position };
      throw corrupt(file.path, position, "a frame's header is broken");
    }
    const length = header.readUInt32LE(0);
    const next = position + FRAME_HEADER_BYTES + padded(length);
    const checksum = header.readUInt32LE(4);
    const payload = window.at(position + FRAME_HEADER_BYTES, length);
    if (payload === null || next > file.sizeBytes) return { endBytes: position };
    if (digest.crc32c(payload) !== checksum) {
      if (next === file.sizeBytes || window.isZeroFrom(next)) return { endBytes: position };
      throw corrupt(file.path, position, "a frame's checksum is wrong");
    }
    visit(payload);
    position = next;
  }
  return { endBytes: position };
}

export function corrupt(path: string, position: number, why: string, cause?: unknown): InvalidFolderError {
  return new InvalidFolderError(`${path} is no intact log: ${why}`, {
    details: { path, position },
    cause,
    remedy: 'Point the setting at another folder, or put the folder back from a copy: what it holds is damaged.',
  });
}

/** Parts of a file by position, read in large pieces; a piece stays alive as long as somebody uses a part of it. */
class Window {
  private readonly fd: number;
  private readonly sizeBytes: number;
  private start = 0;
  private bytes = Buffer.alloc(0);

  constructor(fd: number, sizeBytes: number) {
    this.fd = fd;
    this.sizeBytes = sizeBytes;
  }

  /** Bytes [position, position + length); null if the file ends before. */
  at(position: number, length: number): Buffer | null {
    if (position + length > this.sizeBytes) return null;
    if (position < this.start || position + length > this.start + this.bytes.length) this.load(position, length);
    return this.bytes.subarray(position - this.start, position - this.start + length);
  }

  isZeroFrom(position: number): boolean {
    for (let at = position; at < this.sizeBytes; ) {
      const part = this.at(at, Math.min(WINDOW_BYTES, this.sizeBytes - at));
      if (part === null || part.some((byte) => byte !== 0)) return false;
      at += part.length;
    }
    return true;
  }

  private load(position: number, length: number): void {
    const wanted = Math.min(Math.max(length, WINDOW_BYTES), this.sizeBytes - position);
    const bytes = Buffer.allocUnsafeSlow(wanted);
    for (let read = 0; read < wanted; ) {
      const count = readSync(this.fd, bytes, read, wanted - read, position + read);
      if (count === 0) throw new InvalidFolderError('a file of the log became shorter while it was read');
      read += count;
    }
    this.start = position;
    this.bytes = bytes;
  }
}
