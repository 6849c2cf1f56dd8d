/** What user code sees of the death of the process that it runs in: nothing. */
import { expect, it } from 'vitest';
import { defineApp, type SimulationFailedError, StreamsBuilder, string } from '../../lib/index.js';
import { type SimulatedEnvironment, simulate } from '../../lib/testing/index.js';

const text = { key: string(), value: string() };
const records = Array.from({ length: 30 }, (_, index) => ({ key: `k${index % 4}`, value: `w${index}` }));
const options = { inputs: { words: { ...text, records } }, faults: ['crash', 'timed-out'] as const, seeds: 12 };

class Service {
  readonly heard: string[] = [];
  failures = 0;

  hear(word: string): void {
    this.heard.push(word);
  }
}

type Environment = SimulatedEnvironment<Service>;

/** Copies words, after `work` on each. */
const copying = (work: (word: string, environment: Environment) => unknown) => (environment: Environment) => {
  const builder = new StreamsBuilder();
  builder
    .stream('words', text)
    .mapValues(async (word) => {
      await work(word, environment);
      return word;
    })
    .to('copies');
  return defineApp({ applicationId: 'copying', topology: builder.build() });
};

it('a call that a process dies in neither fails nor ends: nothing of the process goes on', async () => {
  const app = copying((word, { outside, remote }) =>
    remote(outside)
      .hear(word)
      .catch(() => {
        outside.failures += 1;
      }),
  );

  const { remote } = await simulate(app, {
    ...options,
    outside: () => new Service(),
    check: ({ outside }) => expect(outside.failures).toBe(0),
  });

  expect(remote.repeated).toBeGreaterThan(0);
});

it('a call that nobody waits for may take longer than its commit, and is lost with its process', async () => {
  const app = copying((word, { outside, remote }) => {
    void remote(outside).hear(word);
  });

  const failure = await simulate(app, {
    ...options,
    seeds: 20,
    shrinkRuns: 0,
    outside: () => new Service(),
    check: ({ outside }) => expect(new Set(outside.heard).size).toBe(records.length),
  }).catch((error: SimulationFailedError) => error);

  expect(failure).toMatchObject({ code: 'STREAMS_SIMULATION_FAILED', details: { checker: 'check' } });
});

it('a call that nobody waits for and that is made late is lost with its process, which the check finds', async () => {
  const app = copying((word, { outside, remote, sleep }) => {
    void sleep(200).then(() => remote(outside).hear(word));
  });

  const failure = await simulate(app, {
    ...options,
    shrinkRuns: 0,
    outside: () => new Service(),
    check: ({ outside }) => expect(new Set(outside.heard).size).toBe(records.length),
  }).catch((error: SimulationFailedError) => error);

  expect(failure).toMatchObject({ code: 'STREAMS_SIMULATION_FAILED', details: { checker: 'check' } });
});
