import { describe, expect, it } from 'vitest';
import {
  defineApp,
  InvalidSettingError,
  keyValueStore,
  type Processor,
  StreamsBuilder,
  string,
  TopologyBuilder,
  TopologyError,
} from '../../../lib/index.js';

const text = { key: string(), value: string() };
const stream = () => new StreamsBuilder().stream('in', text);
const source = () => new TopologyBuilder().addSource('source', 'in', text);

/** The message of the topology error that is thrown. */
function refusal(build: () => unknown): string {
  try {
    build();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(TopologyError);
    return (thrown as TopologyError).message;
  }
  throw new Error('nothing was refused');
}

describe('the name of an operator', () => {
  it.each<[string, (name: string) => unknown]>([
    ['filter', (name) => stream().filter(() => true, { name })],
    ['groupBy', (name) => stream().groupBy((_, value) => value, { name })],
    ['a source', (name) => new StreamsBuilder().stream('in', { ...text, name })],
    ['a table', (name) => new StreamsBuilder().table('in', { ...text, name })],
    ['to', (name) => stream().to('out', { name })],
    ['split', (name) => stream().split({ name })],
    [
      'a branch',
      (name) =>
        stream()
          .split()
          .branch(() => true, { name: `-${name}` }),
    ],
    ['toStream', (name) => new StreamsBuilder().table('in', text).toStream({ name })],
  ])('is held to what may stand in a topic: %s', (_, named) => {
    for (const bad of ['with space', 'a/b', 'x'.repeat(250)]) {
      expect(refusal(() => named(bad))).toContain(bad);
    }
  });

  it.each(['', '.', '..'])("cannot be '%s'", (name) => {
    expect(refusal(() => stream().filter(() => true, { name }))).toContain(`'${name}' is no name for an operator`);
  });
});

describe('a topology is refused', () => {
  it('if a split has two default branches', () => {
    const split = stream().split({ name: 'by-size' });
    split.defaultBranch();

    expect(refusal(() => split.defaultBranch())).toContain("'by-size' has a default branch already");
  });

  it('if a branch comes after the default one, but not if there is none', () => {
    const ended = stream().split({ name: 'by-size-' });
    ended.defaultBranch();
    const open = stream().split({ name: 'by-kind-' });
    open.noDefaultBranch();

    expect(refusal(() => ended.branch(() => true))).toContain("'by-size-' has a default branch already");
    expect([
      ...open
        .branch(() => true)
        .defaultBranch()
        .keys(),
    ]).toEqual(['by-kind-1', 'by-kind-0']);
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'null'],
    ['nothing', undefined, 'undefined'],
    ['a number', 5, 'a number'],
    ['an object without process', {}, 'an object'],
  ])('if a supplier gives %s', (_, made, kind) => {
    const give = () => made as never;
    const builder = new StreamsBuilder();
    builder.stream('in', text).processValues(give, { name: 'by-hand' });

    expect(refusal(() => source().addProcessor('count', give, { parents: 'source' }))).toBe(
      `processor 'count': its supplier gives ${kind}, no processor`,
    );
    expect(refusal(() => builder.build())).toBe(
      `processor 'by-hand': processValues: its supplier gives ${kind}, no processor`,
    );
  });

  it.each(['.', '..', '', 'a/b', 'x'.repeat(250)])("if a store is to be called '%s'", (name) => {
    expect(refusal(() => stream().groupByKey().count({ store: name }))).toContain(
      `'${name}' is no name for a state store`,
    );
    expect(refusal(() => keyValueStore({ name, ...text }))).toContain('is no name for a state store');
  });

  it('but not for a store of 210 letters, as long as the topic’s name is not too long', () => {
    const builder = new StreamsBuilder();
    builder
      .stream('in', text)
      .groupByKey()
      .count({ store: 'x'.repeat(210) });

    expect(defineApp({ applicationId: 'app', topology: builder.build() }).topology.changelogs.size).toBe(1);
  });

  it('if tasks would share a processor', () => {
    const shared: Processor<string, string, string, string> = { process() {} };

    expect(refusal(() => source().addProcessor('count', () => shared, { parents: 'source' }))).toContain(
      "processor 'count': its supplier gives the same object again",
    );
    const builder = new StreamsBuilder();
    builder.stream('in', text).process<string, string>(() => shared, { name: 'by-hand' });
    expect(refusal(() => builder.build())).toContain("processor 'by-hand'");
  });

  it('if a processor is connected to no store in so many words', () => {
    const builder = source().addProcessor('step', () => ({ process() {} }), { parents: 'source' });

    expect(refusal(() => builder.connectProcessorAndStateStores('step'))).toContain("'step' is connected to no store");
  });

  it('if a store is to have a source topic that nothing reads, or two', () => {
    const builder = source()
      .addProcessor('step', () => ({ process() {} }), { parents: 'source' })
      .addStateStore(keyValueStore({ name: 'kept', ...text }), 'step');

    expect(refusal(() => builder.connectSourceStoreAndTopic('other', 'in'))).toContain("'other' is not added yet");
    expect(refusal(() => builder.connectSourceStoreAndTopic('kept', 'elsewhere'))).toContain("'elsewhere'");
    builder.connectSourceStoreAndTopic('kept', 'in');
    expect(refusal(() => builder.connectSourceStoreAndTopic('kept', 'in'))).toContain('has a source topic already');
  });

  it('if topics that must have one partition count are given two', () => {
    const builder = new TopologyBuilder().addSource('first', 'in', text);
    for (const [name, partitions] of [
      ['three-repartition', 3],
      ['five-repartition', 5],
    ] as const) {
      builder
        .addRepartitionTopic(name, partitions)
        .addSink(`${name}-sink`, name, { ...text, parents: 'first' })
        .addSource(`${name}-source`, name, text);
    }
    builder.copartitionSources('three-repartition-source', 'five-repartition-source');

    expect(refusal(() => builder.build())).toBe(
      "joined topics need one number of partitions: 'five-repartition' has 5, 'three-repartition' has 3",
    );
  });

  it('if an internal topic would have a name that no broker takes', () => {
    const store = 's'.repeat(200);
    const builder = new StreamsBuilder();
    builder.stream('in', text).groupByKey().count({ store });
    const topology = builder.build();

    expect(defineApp({ applicationId: 'app', topology }).topology).toBe(topology);
    expect(refusal(() => defineApp({ applicationId: 'a'.repeat(50), topology }))).toContain(
      'has a name of 261 characters',
    );
  });
});

describe('the name of an application', () => {
  it.each(['x y', '', '..', 'a'.repeat(201)])('says what is allowed when it is %j', (applicationId) => {
    const define = () => defineApp({ applicationId, topology: source().build() });

    expect(define).toThrow(InvalidSettingError);
    expect(define).toThrow(
      `applicationId: '${applicationId}' was given; 1 to 200 letters, digits, dots, underscores and dashes are wanted`,
    );
  });
});

describe('names that were generated', () => {
  const counted = (store: { readonly store?: string }, name: { readonly name?: string }) => {
    const builder = new StreamsBuilder();
    builder
      .stream('in', text)
      .groupBy((_, value) => value, name)
      .count(store);
    return builder;
  };
  const strict = { ensureExplicitInternalResourceNaming: true };

  it('are refused for what the application owns, if that is asked for', () => {
    expect(refusal(() => counted({}, {}).build(strict))).toBe(
      'these have no names of yours: KSTREAM-AGGREGATE-STATE-STORE-0000000002, ' +
        'KSTREAM-AGGREGATE-STATE-STORE-0000000002-repartition',
    );
    expect(refusal(() => counted({}, { name: 'words' }).build(strict))).not.toContain('repartition');
    expect(counted({ store: 'counts' }, { name: 'words' }).build(strict).stores.size).toBe(1);
  });

  it('are fine where nobody asks', () => {
    expect(counted({}, {}).build().stores.size).toBe(1);
  });
});
