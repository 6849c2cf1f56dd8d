/** Every serde against the JVM's (test/support/kafka/java/SerdeBytes.java prints what Kafka's make of the same values). */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  boolean,
  double,
  float,
  int,
  list,
  long,
  sessionWindowedSerde,
  short,
  string,
  timeWindowedSerde,
  uuid,
} from '../../../lib/index.js';
import { sessionChangelogKeys, windowChangelogKeys } from '../../../lib/state/changelog-keys.js';
import { runJavaTool } from '../../support/kafka/java-tool.js';

const id = '0a0b0c0d-1111-2222-3333-444455556666';
const longAgo = 1_700_000_000_000;
const end = (startMs: number) => startMs + 5;
const windows = [
  { startMs: 0, endMs: 5 },
  { startMs: longAgo, endMs: longAgo + 5 },
];
const sessions = [
  { startMs: 0, endMs: 0 },
  { startMs: 5, endMs: longAgo },
];
const maxFloat = Math.fround(3.4028234663852886e38);

/** A serde of any type. */
interface BothWays {
  serialize(value: never): Uint8Array;
  deserialize(bytes: Uint8Array): unknown;
}

/** The values of the Java class, in its order. */
const cases: readonly (readonly [string, BothWays, readonly unknown[]])[] = [
  ['boolean', boolean(), [true, false]],
  ['short', short(), [0, -1, -0x8000, 0x7fff]],
  ['int', int(), [0, -1, -(2 ** 31), 2 ** 31 - 1]],
  ['long', long(), [0, -1, 2 ** 53 - 1, 1 - 2 ** 53]],
  ['float', float(), [0.5, -0, maxFloat, Number.NaN, Number.NEGATIVE_INFINITY]],
  ['double', double(), [0.1, -0, Number.MIN_VALUE, Number.NaN, Number.POSITIVE_INFINITY]],
  ['string', string(), ['', 'a', 'ö€😀']],
  ['uuid', uuid(), [id]],
  ['list(long)', list(long()), [[], [1, -1], [null, 7, null]]],
  ['list(short)', list(short()), [[5, null]]],
  ['list(int)', list(int()), [[5, null]]],
  ['list(float)', list(float()), [[0.5, null]]],
  ['list(double)', list(double()), [[0.1, null]]],
  ['list(uuid)', list(uuid()), [[id, null]]],
  ['list(boolean)', list(boolean()), [[true, null, false]]],
  ['list(string)', list(string()), [[], ['', 'ö', null]]],
  ['time-windowed', timeWindowedSerde(string(), 5), windows.map((window) => ({ key: 'kö', window }))],
  ['window-store', windowChangelogKeys(string(), end), windows.map((window) => ({ key: 'kö', window, sequence: 3 }))],
  ['session-windowed', sessionWindowedSerde(string()), sessions.map((window) => ({ key: 'kö', window }))],
  ['session-store', sessionChangelogKeys(string()), sessions.map((window) => ({ key: 'kö', window }))],
];

describe("a serde's bytes and the JVM's", () => {
  const theirs = new Map<string, string[]>();
  beforeAll(async () => {
    for (const line of (await runJavaTool('SerdeBytes', [], { brokers: [] })).trimEnd().split('\n')) {
      const [name = '', hex = ''] = line.split(' ');
      theirs.set(name, [...(theirs.get(name) ?? []), hex]);
    }
  });

  it.each(cases)('are the same for %s, both ways', (name, serde, values) => {
    const hexes = theirs.get(name) ?? [];

    expect(values.map((value) => Buffer.from(serde.serialize(value as never)).toString('hex'))).toEqual(hexes);
    expect(hexes.map((hex) => serde.deserialize(Buffer.from(hex, 'hex')))).toEqual(values);
  });

  it('were compared for all that the JVM has printed', () => {
    expect([...theirs.keys()].sort()).toEqual(cases.map(([name]) => name).sort());
  });
});
