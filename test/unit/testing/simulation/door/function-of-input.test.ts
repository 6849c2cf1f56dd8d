import { describe, expect, it } from 'vitest';
import { SimulationFailedError } from '../../../../../lib/model/errors.js';
import { refuseWhatVaries } from '../../../../../lib/testing/simulation/door/function-of-input.js';
import { inputsOf, mapOf, reference, smallApp, text } from '../../../../support/simulation/small-world.js';

/** A variable of the module, which the second run finds as the first has left it. */
const remembering = () => {
  let count = 0;
  return smallApp((builder) => {
    const numbered = builder.stream('in', text).mapValues((value): string => {
      count += 1;
      return `${value}#${count}`;
    });
    numbered.to('out', text);
    numbered.groupByKey().reduce((_, next) => next, { store: 'newest' });
  });
};

async function twice(outputs: 'auto' | 'none', stores: 'auto' | 'none'): Promise<() => void> {
  const app = remembering();
  const map = mapOf(app, 'in', 'out');
  const inputs = inputsOf('in-0 a=1', 'in-1 b=2');
  const first = await reference(map, inputs);
  const second = await reference(map, inputs);
  const options = { outputs: new Map([['out', outputs]]), stores: new Map([['newest', stores]]) };
  return () => refuseWhatVaries({ seed: 3, map, options, first, second });
}

describe('an application that makes of one input now this and now that', () => {
  it('is refused, with the topic and the key', async () => {
    const refused = await twice('auto', 'auto');

    expect(refused).toThrow(SimulationFailedError);
    expect(refused).toThrow(
      /seed 3, the application is not a function of its input.*key 'a' of partition 0 of topic 'out' has '1#1' at \d+ as value 0 the first time, '1#3' at \d+ the second/,
    );
  });

  it('is refused for a store, where the topic is left out', async () => {
    expect(await twice('none', 'auto')).toThrow(/of store 'newest' holds .*1#1.* the first time, .*1#3.* the second/);
  });

  it('is let through where all that varies is left out by name', async () => {
    expect(await twice('none', 'none')).not.toThrow();
  });
});

it('an application that makes the same of it is let through', async () => {
  const map = mapOf(
    smallApp((builder) => builder.stream('in', text).to('out', text)),
    ...['in', 'out'],
  );
  const inputs = inputsOf('in-0 a=1');
  const [first, second] = [await reference(map, inputs), await reference(map, inputs)];
  const options = { outputs: new Map([['out', 'auto' as const]]), stores: new Map() };

  expect(() => refuseWhatVaries({ seed: 1, map, options, first, second })).not.toThrow();
});
