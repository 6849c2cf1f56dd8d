/** What `simulate` says of an application that fails: whose fault it is, and how to see it again. */
import { setTimeout } from 'node:timers';
import { describe, expect, it } from 'vitest';
import {
  defineApp,
  json,
  long,
  type ProcessorContext,
  type SimulationFailedError,
  type StreamRecord,
  StreamsBuilder,
  string,
} from '../../lib/index.js';
import { type SimulatedEnvironment, simulate } from '../../lib/testing/index.js';

const text = { key: string(), value: string() };
const records = Array.from({ length: 12 }, (_, index) => ({ key: `k${index % 4}`, value: `w${index}` }));
const words = { words: { ...text, records } };

/** Copies words, after `work` on each. */
function copying(work: (word: string) => unknown) {
  const builder = new StreamsBuilder();
  builder
    .stream('words', text)
    .mapValues(async (word) => {
      await work(word);
      return word;
    })
    .to('copies');
  return defineApp({ applicationId: 'copying', topology: builder.build() });
}

/** Joins all words in the order in which they come, from whichever partition. */
function joiningApp() {
  const builder = new StreamsBuilder();
  builder
    .stream('words', text)
    .groupBy(() => 'all')
    .aggregate({ init: () => '', add: (_, word, joined) => joined + word, store: 'joined', value: string() })
    .toStream()
    .to('joined');
  return defineApp({ applicationId: 'joining', topology: builder.build() });
}

const failureOf = (run: Promise<unknown>) =>
  run.then(
    () => expect.unreachable('it held'),
    (error: unknown) => error as SimulationFailedError,
  );

describe('a failure of simulate', () => {
  it('says at once that a check fails without faults too, and makes nothing smaller', async () => {
    let checks = 0;
    const check = () => {
      checks += 1;
      throw new Error('never content');
    };

    const { message } = await failureOf(
      simulate(
        copying(() => undefined),
        { inputs: words, seeds: [1], check },
      ),
    );

    expect(message).toContain("breaks 'check': never content");
    expect(message).toContain('It fails even without faults');
    expect(checks).toBe(2);
  });

  it('says that the input does not decide a topic that is compared too strictly', async () => {
    const options = { inputs: words, seeds: [1], outputs: { joined: 'sequence' as const } };

    const { message } = await failureOf(simulate(joiningApp(), options));

    expect(message).toContain('It fails even without faults');
    expect(message).toContain("use 'multiset' or 'auto'");
  });

  it('counts a check that answers false as one that fails', async () => {
    const { details, message } = await failureOf(
      simulate(
        copying(() => undefined),
        { inputs: words, seeds: [1], check: () => false },
      ),
    );

    expect(details.checker).toBe('check');
    expect(message).toContain('check answered false');
  });

  it('lists what there is to a check that names what there is not, and the record that its serde does not read', async () => {
    const said: string[] = [];

    await simulate(joiningApp(), {
      inputs: words,
      seeds: [1],
      check({ inputs, outputs, stores }) {
        const attempts = [
          () => outputs('joint'),
          () => stores('joint'),
          () => inputs('joined' as 'words'),
          () => outputs('joined', { key: string(), value: long() }),
        ];
        for (const attempt of attempts)
          try {
            attempt();
          } catch (thrown) {
            said.push(String(thrown));
          }
      },
    });

    expect(said).toEqual([
      expect.stringMatching(/no topic 'joint' .*; there are .*words.*; is 'joined' meant\?/),
      expect.stringMatching(/no store 'joint' .*; there is joined; is 'joined' meant\?/),
      expect.stringMatching(/'joined' has no inputs; there are those of words/),
      expect.stringMatching(/does not read the value of record 0 of joined-\d: /),
    ]);
  });

  it('names the task, the code and the error of user code that throws under faults', async () => {
    const boom = new Error('boom');
    const app = ({ isReference }: SimulatedEnvironment<undefined>) =>
      copying((word) => {
        if (!isReference && word === 'w7') throw boom;
      });

    const { message, details, cause } = await failureOf(simulate(app, { inputs: words, seeds: [1], shrinkRuns: 2 }));

    expect(details.checker).toBe('tasks-go-on');
    expect(message).toMatch(/task 0_\d has stopped: STREAMS_PROCESSING_FAILED: .*boom/);
    expect(cause).toBe(boom);
  });

  it('names the seed and a remedy where user code waits for a timer of the machine', async () => {
    const app = ({ isReference }: SimulatedEnvironment<undefined>) =>
      copying(() => (isReference ? undefined : new Promise((resolve) => setTimeout(resolve, 60_000).unref())));

    const { message, remedy, details } = await failureOf(simulate(app, { inputs: words, seeds: [4] }));

    expect(message).toContain("with seed 4, copying breaks 'input-is-processed'");
    expect(remedy).toMatch(/timer.*`sleep`.*`remote`/);
    expect(details.seed).toBe(4);
  });

  it('names the seed and a remedy where a check waits for a timer of the machine', async () => {
    const check = () => new Promise((resolve) => setTimeout(resolve, 60_000).unref());

    const failure = await failureOf(
      simulate(
        copying(() => undefined),
        { inputs: words, seeds: [4], check },
      ),
    );

    const { code, message, remedy, details } = failure;
    expect(code).toBe('STREAMS_SIMULATION_FAILED');
    expect(message).toMatch(/^simulate: with seed 4, after \d.* ms everybody waits and nobody sleeps/);
    expect(message).toContain('seeds: [4]');
    expect(remedy).toMatch(/timer.*`sleep`.*`remote`/);
    expect(details.seed).toBe(4);
  });

  it('prints a part of the seed that fails in the same way, when a fault took effect, and the calls around it', async () => {
    const card = json<{ word: string }>();
    const app = ({ outside, remote }: SimulatedEnvironment<{ charges: string[]; charge(word: string): void }>) => {
      const service = remote(outside);
      const builder = new StreamsBuilder();
      builder
        .stream('words', text)
        .mapValues(
          async (word) => {
            await service.charge(word);
            return { word };
          },
          { value: card },
        )
        .to('charged');
      return defineApp({ applicationId: 'charging', topology: builder.build() });
    };
    const outside = () => {
      const charges: string[] = [];
      return { charges, charge: (word: string) => void charges.push(word) };
    };
    const check = ({ outside: { charges } }: { readonly outside: { readonly charges: readonly string[] } }) => {
      const twice = charges.find((word, index) => charges.indexOf(word) !== index);
      if (twice !== undefined) throw new Error(`${twice} was charged twice`);
    };

    const first = await failureOf(simulate(app, { inputs: words, outside, check, seeds: 20 }));
    const part = /part: \{ faults: '([\d,-]*)', inputs: '([\d,-]*)', members: (\d) \}/.exec(first.message);
    const [, faults = '', inputs = '', members = ''] = part ?? [];
    const seeds = [Number(first.details.seed)];
    const again = await failureOf(
      simulate(app, { inputs: words, outside, check, seeds, part: { faults, inputs, members: Number(members) } }),
    );

    expect(first.message).toMatch(/took effect at \d+ ms on task#\d+ in [a-z]+\.[a-zA-Z]+/);
    expect(first.message.match(/remote-call/g)?.length).toBeGreaterThan(1);
    expect(Object.keys(first.details)).not.toContain('timeline');
    expect((first.details.timeline as readonly string[]).length).toBeGreaterThan(30);
    expect(again.message.split('\n').slice(3)).toEqual(first.message.split('\n').slice(3));
  });
});

describe('what simulate leaves out of the comparison', () => {
  it('is in the report with the key on which two orders of arrival disagree', async () => {
    const { outputs, stores, why } = await simulate(joiningApp(), { inputs: words, seeds: [1] });

    expect({ outputs, stores }).toEqual({ outputs: { joined: 'none' }, stores: { joined: 'none' } });
    expect(why.outputs.joined).toMatch(/^key 'all' of partition \d ends with .* in one order of arrival, with /);
    expect(why.stores.joined).toMatch(/^key 'all' of partition \d holds /);
  });

  it('is refused on request, unless it was asked for', async () => {
    const options = { inputs: words, seeds: [1], strict: true };

    const { message, remedy } = await failureOf(simulate(joiningApp(), options));
    const asked = { outputs: { joined: 'none' }, stores: { joined: 'none' } } as const;
    const report = await simulate(joiningApp(), { ...options, ...asked });

    expect(message).toMatch(/topic 'joined' is not compared: key .*; store 'joined' is not compared: key /);
    expect(remedy).toContain("outputs: { 'joined': 'none' }");
    expect(report.why).toEqual({ outputs: {}, stores: {} });
  });

  it('is nothing where the input decides all, and no service is called', async () => {
    const { outputs, why, remote } = await simulate(
      copying(() => undefined),
      { inputs: words, seeds: 2, strict: true },
    );

    expect(outputs).toEqual({ copies: 'sequence' });
    expect(why).toEqual({ outputs: {}, stores: {} });
    expect(remote).toEqual({ calls: 0, repeated: 0 });
  });

  it('names topic and key of an application that makes of one input now this and now that', async () => {
    let count = 0;
    const app = () => {
      const builder = new StreamsBuilder();
      builder
        .stream('words', text)
        .mapValues((word): string => {
          count += 1;
          return `${word}#${count}`;
        })
        .to('copies');
      return defineApp({ applicationId: 'counting', topology: builder.build() });
    };

    const { message, details, remedy } = await failureOf(simulate(app, { inputs: words, seeds: [3] }));

    expect(message).toMatch(
      /with seed 3, the application is not a function of its input.*key 'k\d' of partition \d of topic 'copies'/,
    );
    expect(details).toMatchObject({ seed: 3, checker: 'function-of-its-input' });
    expect(remedy).toContain("outputs: { 'copies': 'none' }");
    await expect(
      simulate(app, { inputs: words, seeds: [3], faults: [], outputs: { copies: 'none' } }),
    ).resolves.toMatchObject({ outputs: { copies: 'none' } });
  });

  it('says of a store that fails without faults too that processes come and go', async () => {
    const app = () => {
      const kept = new Map<string, string>();
      const builder = new StreamsBuilder();
      builder
        .stream('words', text)
        .mapValues((word, key) => {
          kept.set(key, (kept.get(key) ?? '') + word);
          return kept.get(key) ?? '';
        })
        .groupByKey()
        .reduce((_, next) => next, { store: 'newest' });
      return defineApp({ applicationId: 'keeping', topology: builder.build() });
    };

    const { message, remedy } = await failureOf(simulate(app, { inputs: words, seeds: 20, faults: [] }));

    expect(message).toContain("breaks 'stores-equal-reference'");
    expect(message).toContain('It fails even without faults');
    expect(remedy).toContain('processes come and go in every run');
  });

  it.each(['timestamp', 'header'])('sees a %s that depends on the memory of a process', async (what) => {
    const app = () => {
      let count = 0;
      const builder = new StreamsBuilder();
      builder
        .stream('words', text)
        .process(() => {
          let context: ProcessorContext<string, string>;
          return {
            init(given: ProcessorContext<string, string>) {
              context = given;
            },
            process(record: StreamRecord<string, string>) {
              count += 1;
              const headers = [{ key: 'n', value: Buffer.from(String(count)) }];
              return context.forward(what === 'header' ? record.withHeaders(headers) : record.withTimestamp(count));
            },
          };
        }, text)
        .to('copies');
      return defineApp({ applicationId: 'stamping', topology: builder.build() });
    };

    const { message } = await failureOf(simulate(app, { inputs: words, seeds: 20, shrinkRuns: 0 }));

    expect(message).toContain("breaks 'outputs-equal-reference'");
    expect(message).toMatch(what === 'header' ? /with "n": '\d+', the reference/ : /at \d+, the reference/);
  });
});
