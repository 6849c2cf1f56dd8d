import { describe, expect, it } from 'vitest';
import { type Serde, StreamsBuilder, string } from '../../../lib/index.js';
import { asStreamsError } from '../../../lib/model/errors.js';
import { messageOf, nameOf, stackOf } from '../../../lib/model/thrown.js';
import { at, startTask, texts } from './task-rig.js';

const withGetter = (name: string): Error =>
  Object.defineProperty(new Error('x'), name, {
    get() {
      throw new Error('trapped');
    },
  });
const trap = () => {
  throw new Error('trapped');
};

const odd: Readonly<Record<string, () => unknown>> = {
  'nothing at all': () => undefined,
  null: () => null,
  'a symbol': () => Symbol('s'),
  'an object without prototype': () => Object.create(null),
  'an object that refuses to be text': () => ({ toString: trap }),
  'an error whose message throws': () => withGetter('message'),
  'an error whose name throws': () => withGetter('name'),
  'an error whose stack throws': () => withGetter('stack'),
  'an error whose message is a symbol': () => Object.assign(new Error('x'), { message: Symbol('m') }),
  'an error whose name is a number': () => Object.assign(new Error('x'), { name: 5 }),
  'a proxy that refuses every question': () => new Proxy(new Error('p'), { get: trap, getPrototypeOf: trap }),
  'a revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable(new Error('p'), {});
    revoke();
    return proxy;
  },
};

type Place = 'a function' | 'a function that waits' | 'the serde of a source' | 'the serde of a sink';
const places: readonly Place[] = [
  'a function',
  'a function that waits',
  'the serde of a source',
  'the serde of a sink',
];

function throwingAt(place: Place, make: () => unknown): StreamsBuilder {
  const throwIfBad = (value: string): void => {
    if (value === 'bad') throw make();
  };
  const value: Serde<string> = {
    serialize(text) {
      if (place === 'the serde of a sink') throwIfBad(text);
      return Buffer.from(text);
    },
    deserialize(bytes) {
      const text = Buffer.from(bytes).toString();
      if (place === 'the serde of a source') throwIfBad(text);
      return text;
    },
  };
  const builder = new StreamsBuilder();
  builder
    .stream('in', { key: string(), value })
    .mapValues(
      (text) => {
        if (place === 'a function') throwIfBad(text);
        return place === 'a function that waits' && text === 'bad' ? Promise.reject(make()) : text;
      },
      { value },
    )
    .to('out');
  return builder;
}

describe.each(Object.entries(odd))('%s', (_, make) => {
  it.each(places)('thrown by %s costs its record alone, where the settings say so', async (place) => {
    const { task, give, commit } = await startTask(throwingAt(place, make), {
      settings: {
        processingExceptionHandler: 'continue',
        deserializationExceptionHandler: 'continue',
        productionExceptionHandler: 'continue',
        deadLetterTopic: 'dead',
      },
      partitionCounts: { out: 1, dead: 1 },
    });
    give('in', [{ value: 'bad' }, { value: 'good' }]);

    await task.process(0, 10);
    const { outputs } = await commit();

    expect(texts(outputs.get(at('out')))).toEqual(['null=good@0']);
    expect(texts(outputs.get(at('dead')))).toEqual(['null=bad@0']);
  });

  it('can be told of', () => {
    const thrown = make();

    expect(typeof messageOf(thrown)).toBe('string');
    expect(typeof nameOf(thrown)).toBe('string');
    expect(['string', 'undefined']).toContain(typeof stackOf(thrown));
    expect(asStreamsError(thrown).code).toBe('STREAMS_INTERNAL');
  });
});
