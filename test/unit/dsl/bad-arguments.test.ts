import { describe, expect, it } from 'vitest';
import {
  calendar,
  customStore,
  defineApp,
  hopping,
  keyValueStore,
  long,
  StreamsBuilder,
  StreamsError,
  session,
  sessionStore,
  sliding,
  string,
  TopologyBuilder,
  TopologyError,
  tumbling,
  unlimited,
  untilTimeLimit,
  untilWindowCloses,
  versionedStore,
  windowStore,
} from '../../../lib/index.js';

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

describe('what a call lacks or can not use is refused by an error of ours', () => {
  const none = null as never;
  const empty = {} as never;
  const grouped = () => stream().groupByKey();
  const kept = { name: 'kept', ...TEXT };

  it.each<[string, () => unknown]>([
    ['addStateStore(null)', () => new StreamsBuilder().addStateStore(none)],
    ['addGlobalStore without store', () => new StreamsBuilder().addGlobalStore(none, 'in', TEXT, none)],
    ['cogroup(null)', () => grouped().cogroup(none)],
    [
      'another cogroup(null)',
      () =>
        grouped()
          .cogroup((_, value) => value)
          .cogroup(none, () => ''),
    ],
    ['untilTimeLimit(null)', () => untilTimeLimit(none)],
    ['untilTimeLimit with a null buffer', () => untilTimeLimit('5m', none)],
    ['untilWindowCloses(null)', () => untilWindowCloses(none)],
    ['tumbling()', () => tumbling(nothing)],
    ['tumbling({})', () => tumbling(empty)],
    ['hopping without advance', () => hopping({ size: '5m' } as never)],
    ['hopping()', () => hopping(nothing)],
    ['sliding({})', () => sliding(empty)],
    ['sliding()', () => sliding(nothing)],
    ['session({})', () => session(empty)],
    ['session()', () => session(nothing)],
    ['unlimited(null)', () => unlimited(none)],
    ['calendar without options', () => calendar('day', nothing)],
    ['windowStore without retention', () => windowStore({ ...kept, windowSize: '5m' } as never)],
    ['sessionStore without retention', () => sessionStore(kept as never)],
    ['versionedStore without history', () => versionedStore(kept as never)],
    ['keyValueStore()', () => keyValueStore(nothing)],
    ['customStore()', () => customStore(nothing)],
    ['aggregate(null)', () => grouped().aggregate(none)],
    ['options that are null', () => stream().filter(() => true, none)],
    ['options that are a name', () => stream().filter(() => true, 'name' as never)],
    ['options that are a list', () => stream().groupByKey([] as never)],
  ])('%s', (_, action) => {
    expect(codeOf(action)).toMatch(/^STREAMS_INVALID_(TOPOLOGY|SETTING)$/);
  });
});

describe('an option that TypeScript would refuse is refused', () => {
  const option = (given: object) => given as never;
  const topology = () => source().build();
  const grouped = () => stream().groupByKey();

  it.each<[string, string, () => unknown]>([
    [
      'a name that is misspelt',
      "count: there is no option 'stroe'; is 'store' meant?",
      () => grouped().count(option({ stroe: 'x' })),
    ],
    [
      'another operator’s',
      "filter 'f': there is no option 'store'",
      () => stream().filter(() => true, option({ name: 'f', store: 'x' })),
    ],
    [
      'of an application',
      "application 'a': there is no option 'setings'",
      () => defineApp(option({ applicationId: 'a', topology: topology(), setings: {} })),
    ],
    [
      'of a source',
      "node 's': there is no option 'reset'",
      () => new TopologyBuilder().addSource('s', 'in', option({ ...TEXT, reset: 'earliest' })),
    ],
    [
      'of a sink',
      "node 'k': there is no option 'partition'",
      () => source().addSink('k', 'out', option({ parents: 'source', ...TEXT, partition: 1 })),
    ],
    [
      'of a store',
      "store 's': there is no option 'tll'; is 'ttl' meant?",
      () => keyValueStore(option({ name: 's', ...TEXT, tll: '1h' })),
    ],
    ['of windows', "tumbling: there is no option 'length'", () => tumbling(option({ size: 5, length: 5 }))],
    [
      'of a stream',
      "stream: there is no option 'serde'",
      () => new StreamsBuilder().stream('in', option({ ...TEXT, serde: string() })),
    ],
    [
      'of a join',
      "join: there is no option 'windows'",
      () => stream().join(stream(), option({ joiner: () => '', windows: 5 })),
    ],
    [
      'of a windowed cogroup',
      "aggregate: there is no option 'ttl'",
      () =>
        grouped()
          .cogroup((_, value) => value)
          .windowedBy(tumbling({ size: 5 }))
          .aggregate(option({ init: () => '', value: string(), ttl: 5 })),
    ],
    [
      'of a build',
      "build: there is no option 'optimisation'",
      () => new StreamsBuilder().build(option({ optimisation: 'all' })),
    ],
    [
      'logged, a text',
      'count: logged is a string, true or false is wanted',
      () => grouped().count(option({ logged: 'no' })),
    ],
    ['cached, a number', 'count: cached is a number', () => grouped().count(option({ cached: 0 }))],
    [
      'logged of a store',
      "store 's': logged is a string",
      () => keyValueStore(option({ name: 's', ...TEXT, logged: 'no' })),
    ],
    [
      'changelogConfig, a number',
      'count: changelogConfig is a number',
      () => grouped().count(option({ changelogConfig: 5 })),
    ],
    [
      'changelogConfig of numbers',
      "store 's': changelogConfig is an object",
      () => keyValueStore(option({ name: 's', ...TEXT, changelogConfig: { 'retention.ms': 5 } })),
    ],
    ['store, null', 'count: store is null, a name is wanted', () => grouped().count(option({ store: null }))],
    [
      'a serde that is none',
      'mapValues: value is an object, a serde is wanted',
      () => stream().mapValues(() => 5, option({ value: {} })),
    ],
    [
      'a key serde that is a text',
      'groupBy: key is a string',
      () => stream().groupBy(() => 'k', option({ key: 'string' })),
    ],
    ['a partitioner that is none', 'to: partitioner is a number', () => stream().to('out', option({ partitioner: 3 }))],
  ])('%s', (_, message, action) => {
    expect(action).toThrow(TopologyError);
    expect(action).toThrow(message);
  });

  it('but one that is undefined counts as left out', () => {
    const options = option({
      name: undefined,
      store: undefined,
      logged: undefined,
      value: undefined,
      stroe: undefined,
    });

    expect(() => grouped().count(option({ store: undefined, logged: undefined }))).not.toThrow();
    expect(() => stream().mapValues((value) => value, option({ value: undefined }))).not.toThrow();
    expect(() => grouped().count(options)).toThrow("no option 'value'");
    expect(() => stream().mapValues(() => 5, { value: long() })).not.toThrow();
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
