import { describe, expect, it } from 'vitest';
import { defineApp, keyValueStore, StreamsBuilder, StreamsError, string, TopologyBuilder } from '../../../lib/index.js';

const TEXT = { key: string(), value: string() };

/** What JavaScript lets through and TypeScript does not. */
const nothing = undefined as never;
const five = 5 as never;

function codeOf(action: () => unknown): string {
  try {
    action();
    return 'accepted';
  } catch (thrown) {
    return thrown instanceof StreamsError ? thrown.code : `${thrown}`;
  }
}

const stream = () => new StreamsBuilder().stream('in', TEXT);
const table = () => new StreamsBuilder().table('in', TEXT);
const source = () => new TopologyBuilder().addSource('source', 'in', TEXT);

describe('an operator that was given no function', () => {
  it.each<[string, () => unknown]>([
    ['filter', () => stream().filter(nothing)],
    ['filterNot', () => stream().filterNot(five)],
    ['map', () => stream().map(nothing, TEXT)],
    ['mapValues', () => stream().mapValues(five)],
    ['flatMap', () => stream().flatMap(nothing, TEXT)],
    ['flatMapValues', () => stream().flatMapValues(nothing)],
    ['selectKey', () => stream().selectKey(nothing)],
    ['peek', () => stream().peek(nothing)],
    ['foreach', () => stream().foreach(null as never)],
    ['groupBy', () => stream().groupBy(nothing)],
    ['branch', () => stream().split().branch(nothing)],
    ['reduce', () => stream().groupByKey().reduce(nothing)],
    ['aggregate', () => stream().groupByKey().aggregate(nothing)],
    ['filter of a table', () => table().filter(nothing)],
    ['mapValues of a table', () => table().mapValues(nothing)],
    ['groupBy of a table', () => table().groupBy(nothing)],
  ])('is refused where it is written: %s', (_, action) => {
    expect(codeOf(action)).toBe('STREAMS_INVALID_TOPOLOGY');
  });
});

describe('a builder', () => {
  it.each<[string, () => unknown]>([
    ['a stream without options', () => new StreamsBuilder().stream('in', nothing)],
    ['a table without serdes', () => new StreamsBuilder().table('in', {} as never)],
    ['a stream without topic', () => new StreamsBuilder().stream(nothing, TEXT)],
    ['a source without options', () => new TopologyBuilder().addSource('source', 'in', nothing)],
    ['an unknown reset', () => new TopologyBuilder().addSource('s', 'in', { ...TEXT, offsetReset: 'soon' as never })],
    ['a timestamp extractor', () => new TopologyBuilder().addSource('s', 'in', { ...TEXT, timestampExtractor: five })],
    ['a processor without parents', () => source().addProcessor('p', () => ({ process() {} }), {} as never)],
    ['a processor without options', () => source().addProcessor('p', () => ({ process() {} }), nothing)],
    ['a partitioner', () => source().addSink('k', 'out', { parents: 'source', ...TEXT, partitioner: five })],
    ['a store that is none', () => source().addStateStore({ name: 'store' } as never)],
    ['no store', () => source().addStateStore(nothing)],
    ['a store without serdes', () => keyValueStore({ name: 'store' } as never)],
    ['a store with half a serde', () => keyValueStore({ name: 's', ...TEXT, value: { serialize: five } as never })],
  ])('refuses what it can not use: %s', (_, action) => {
    expect(codeOf(action)).toBe('STREAMS_INVALID_TOPOLOGY');
  });
});

describe('an application', () => {
  const topology = source().build();

  it.each<[string, unknown]>([
    ['no name', undefined],
    ['a number', 5],
    ['one dot', '.'],
    ['two dots', '..'],
    ['a path', 'a/b'],
    ['a line break', 'a\n'],
    ['201 letters', 'a'.repeat(201)],
  ])('is refused with %s for its id', (_, applicationId) => {
    expect(codeOf(() => defineApp({ applicationId: applicationId as string, topology }))).toBe(
      'STREAMS_INVALID_SETTING',
    );
  });

  it('is refused without a topology, or with the builder instead of what it builds', () => {
    for (const given of [undefined, null, {}, new StreamsBuilder()])
      expect(codeOf(() => defineApp({ applicationId: 'a', topology: given as never }))).toBe(
        'STREAMS_INVALID_TOPOLOGY',
      );
    expect(codeOf(() => defineApp(nothing))).toBe('STREAMS_INVALID_SETTING');
  });

  it('is refused with settings that are no object of names and values', () => {
    for (const settings of [null, 5, 'members=3', ['members'], new Map()])
      expect(codeOf(() => defineApp({ applicationId: 'a', topology, settings: settings as never }))).toBe(
        'STREAMS_INVALID_SETTING',
      );
  });

  it('is refused with a dead-letter topic that no topic can be named', () => {
    for (const deadLetterTopic of ['', 'a b', '..', 'x'.repeat(250), 5 as never])
      expect(
        codeOf(() =>
          defineApp({
            applicationId: 'a',
            topology,
            settings: { deserializationExceptionHandler: { deadLetterTopic } },
          }),
        ),
      ).toBe('STREAMS_INVALID_SETTING');
  });
});
