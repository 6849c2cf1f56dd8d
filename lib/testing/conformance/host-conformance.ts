/** What every host has to keep: checksums with known answers, codecs that give back what they took, clocks and chance. */
import type { Host } from '../../host/host.js';
import { codeOf, type TestRunner } from './test-runner.js';

export interface HostConformanceTarget {
  /** What the suite is called, e.g. `node`. */
  readonly name: string;
  createHost(): Host;
  /** Lets this much time pass while a sleep is pending. Absent: time passes by itself. */
  advanceMs?(host: Host, ms: number): Promise<void>;
}

const ascii = (text: string) => Buffer.from(text, 'latin1');
const codeOfCall = (call: () => unknown) => codeOf(Promise.resolve().then(call));

/** Declares the suite's tests with the runner's functions. */
export function describeHostConformance(target: HostConformanceTarget, { describe, it, expect }: TestRunner): void {
  describe(`host: ${target.name}`, () => {
    it('CRC-32C has the answers of RFC 3720 and of the catalogue of CRCs', async () => {
      const { crc32c } = target.createHost().digest;

      expect(crc32c(new Uint8Array(0))).toBe(0);
      expect(crc32c(ascii('123456789'))).toBe(0xe3069283);
      expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
      expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
      expect(crc32c(Uint8Array.from({ length: 32 }, (_, index) => index))).toBe(0x46dd794e);
      expect(crc32c(Uint8Array.from({ length: 32 }, (_, index) => 31 - index))).toBe(0x113fdb5c);
    });

    it('CRC-32C is the same for a view in the middle of a buffer, at every length and offset', async () => {
      const { crc32c } = target.createHost().digest;
      const buffer = Uint8Array.from({ length: 64 }, (_, index) => (index * 37) & 0xff);

      for (let start = 0; start < 9; start += 1) {
        for (let end = start; end < 40; end += 1) {
          expect(crc32c(buffer.subarray(start, end))).toBe(crc32cBitByBit(buffer.slice(start, end)));
        }
      }
    });

    it('SHA-256 has the answers of FIPS 180', async () => {
      const { sha256 } = target.createHost().digest;

      expect(sha256(ascii('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
      expect(sha256(ascii(''))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    });

    it('every codec gives back what it took', async () => {
      const { codec } = target.createHost();
      const inputs = [ascii(''), ascii('a'), Buffer.alloc(200_000, 'word count '), Buffer.from(noise(70_000))];

      for (const id of codec.ids) {
        for (const input of inputs) {
          const back = codec.decompress(id, codec.compress(id, input));
          expect(Buffer.compare(back, input)).toBe(0);
        }
      }
    });

    it('codec 0 is always there, for what is written as it is', async () => {
      const { codec } = target.createHost();

      expect(codec.ids.includes(0)).toBe(true);
      expect(Buffer.from(codec.compress(0, ascii('as it is'))).toString()).toBe('as it is');
    });

    it('bytes that are not of the codec, and a codec that is unknown, are STREAMS_SNAPSHOT_CORRUPTED', async () => {
      const { codec } = target.createHost();

      for (const id of codec.ids.filter((one) => one !== 0)) {
        const whole = codec.compress(id, Buffer.alloc(1_000, 'text'));
        expect(await codeOfCall(() => codec.decompress(id, ascii('no such bytes')))).toBe('STREAMS_SNAPSHOT_CORRUPTED');
        expect(await codeOfCall(() => codec.decompress(id, whole.subarray(0, -6)))).toBe('STREAMS_SNAPSHOT_CORRUPTED');
      }
      expect(await codeOfCall(() => codec.decompress(99, ascii('a')))).toBe('STREAMS_SNAPSHOT_CORRUPTED');
      expect(await codeOfCall(() => codec.compress(99, ascii('a')))).toBe('STREAMS_INTERNAL');
    });

    it('a sleep ends when its time has passed on the monotonic clock', async () => {
      const host = target.createHost();
      const start = host.clock.monotonic();

      const sleep = host.clock.sleep(20);
      await target.advanceMs?.(host, 20);
      await sleep;

      // A timer may fire up to a millisecond early by the finer clock.
      expect(host.clock.monotonic() - start >= 19).toBe(true);
      expect(Number.isFinite(host.clock.now())).toBe(true);
    });

    it('a sleep is given up with STREAMS_ABORTED, before and while it waits', async () => {
      const { clock } = target.createHost();
      const controller = new AbortController();

      const sleep = codeOf(clock.sleep(60_000, controller.signal));
      controller.abort();

      expect(await sleep).toBe('STREAMS_ABORTED');
      expect(await codeOf(clock.sleep(60_000, controller.signal))).toBe('STREAMS_ABORTED');
    });

    it('chance lies in [0, 1), spreads, and identifiers are 16 hex digits that differ', async () => {
      const { random } = target.createHost();
      const drawn = Array.from({ length: 1_000 }, () => random.next());
      const ids = Array.from({ length: 1_000 }, () => random.id());

      expect(drawn.every((value) => value >= 0 && value < 1)).toBe(true);
      expect(drawn.some((value) => value < 0.1) && drawn.some((value) => value > 0.9)).toBe(true);
      expect(ids.every((id) => /^[0-9a-f]{16}$/.test(id))).toBe(true);
      expect(new Set(ids).size).toBe(1_000);
    });
  });
}

/** The definition, one bit at a time: what faster ways are compared with. */
function crc32cBitByBit(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** Bytes that do not compress, the same each time. */
function noise(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 16;
  });
}
