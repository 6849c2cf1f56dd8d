import { createHash, type Hash } from 'node:crypto';
import type { RecordSet } from '../../../lib/model/record-set.js';

const tilde = Buffer.from('~');

/** SHA-256 over records, written down as the Java client's side does it (java/ReadCommitted.java). */
export class RecordDigest {
  /** Records added so far. */
  records = 0;
  private readonly hash: Hash = createHash('sha256');

  /** Adds the records of a set below an offset (exclusive), in order. */
  add(set: RecordSet, endOffset: number): void {
    for (const { offset, timestampMs, key, value, headers } of set) {
      if (offset >= endOffset) break;
      this.records += 1;
      this.hash.update(`${offset}|${timestampMs}|`);
      this.hash.update(key ?? tilde);
      this.hash.update('|');
      this.hash.update(value ?? tilde);
      for (const header of headers) this.hash.update(`|${header.key}=`).update(header.value ?? tilde);
      this.hash.update(';');
    }
  }

  /** The digest as lower-case hex; nothing can be added afterwards. */
  sha(): string {
    return this.hash.digest('hex');
  }
}
