import { crc32 } from 'node:zlib';

/** A zip archive of one uncompressed file: what Lambda takes as a function's code. */
export function storedZip(name: string, text: string): Uint8Array {
  const path = Buffer.from(name);
  const content = Buffer.from(text);
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0); // version needed
  shared.writeUInt32LE(crc32(content), 10);
  shared.writeUInt32LE(content.length, 14);
  shared.writeUInt32LE(content.length, 18);
  shared.writeUInt16LE(path.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, path, content]);
  const entry = Buffer.alloc(14);
  entry.writeUInt32LE(0o100644 * 65_536, 4); // a plain file that all may read; the local header is at 0
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), shared, entry, path]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, central, Buffer.from('PK\x05\x06', 'latin1'), end]);
}
