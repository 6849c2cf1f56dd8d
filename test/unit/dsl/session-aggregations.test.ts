import { describe, expect, it } from 'vitest';
import { type SessionStore, StreamsBuilder, sessionWindowedSerde, sliding, string } from '../../../lib/index.js';
import { drive, grouped, type Input, PAUSE, pipe, TEN, updates } from '../../support/windowed-updates.js';

describe('an aggregation of sessions', () => {
  const concat = {
    init: () => '',
    add: (_: string, value: string | null, all: string) => `${all}${value}`,
    merge: (_: string, all: string, one: string) => `${all}${one}`,
    value: string(),
  };

  it('joins the sessions that a record connects, and deletes them downstream', async () => {
    const given = await updates(
      (of) => of.windowedBy(PAUSE).aggregate(concat),
      [
        ['k', 'a', 0],
        ['k', 'b', 10],
        ['k', 'c', 5],
      ],
      sessionWindowedSerde(string()),
    );

    expect(given).toEqual(['k@0-0=a@0', 'k@10-10=b@10', 'k@0-0=null@0', 'k@10-10=null@10', 'k@0-10=abc@10']);
  });

  it('updates a session of one time in its place', async () => {
    expect(
      await updates(
        (of) => of.windowedBy(PAUSE).count(),
        [
          ['k', 'a', 3],
          ['k', 'b', 3],
        ],
        sessionWindowedSerde(string()),
      ),
    ).toEqual(['k@3-3=1@3', 'k@3-3=2@3']);
  });

  it('reduces the values of sessions that become one', async () => {
    const given = await updates(
      (of) => of.windowedBy(PAUSE).reduce((all, value) => `${all}+${value}`),
      [
        ['k', 'a', 0],
        ['k', 'b', 10],
        ['k', 'c', 5],
      ],
      sessionWindowedSerde(string()),
    );

    expect(given.at(-1)).toBe('k@0-10=a+b+c@10');
  });

  it('is kept in a session store', async () => {
    const builder = new StreamsBuilder();
    grouped(builder).windowedBy(PAUSE).count({ store: 'sessions' });
    const driver = await drive(builder);
    await pipe(driver, [
      ['k', 'a', 3],
      ['k', 'b', 6],
    ]);

    expect(await driver.getStore<SessionStore<string, number>>('sessions').fetchSession('k', 3, 6)).toBe(2);
  });

  it('gives final results in order of the ends of sessions, with their last timestamps', async () => {
    const given = await updates(
      (of) => of.windowedBy(PAUSE).emitStrategy('onWindowClose').count(),
      [
        ['k', 'a', 0],
        ['j', 'b', 2],
        ['k', 'c', 4],
        ['k', 'd', 9_999],
      ],
      sessionWindowedSerde(string()),
    );

    expect(given).toEqual(['j@2-2=1@2', 'k@0-4=2@4']);
  });
});

describe('functions that return promises', () => {
  const later = <T>(value: T) => new Promise<T>((resolve) => setImmediate(() => resolve(value)));
  const inputs: readonly Input[] = [
    ['k', 'a', 10],
    ['k', 'b', 17],
    ['j', 'c', 4],
    ['k', 'd', 13],
    ['k', 'e', 40],
    ['k', 'f', 41],
  ];

  it.each([
    ['time windows', TEN],
    ['sliding windows', sliding({ timeDifference: 10, grace: 20 })],
  ])('give what plain ones give: %s', async (_, windows) => {
    const plain = await updates(
      (of) =>
        of
          .windowedBy(windows as typeof TEN)
          .aggregate({ init: () => '', add: (__, value, all) => `${all}${value}`, value: string() }),
      inputs,
    );
    const promised = await updates(
      (of) =>
        of
          .windowedBy(windows as typeof TEN)
          .aggregate({ init: () => later(''), add: (__, value, all) => later(`${all}${value}`), value: string() }),
      inputs,
    );

    expect(plain.length).toBeGreaterThan(0);
    expect(promised).toEqual(plain);
  });

  it('give what plain ones give: sessions', async () => {
    const serde = sessionWindowedSerde(string());
    const plain = {
      init: () => '',
      add: (_: string, value: string | null, all: string) => `${all}${value}`,
      merge: (_: string, all: string, one: string) => `${all}${one}`,
      value: string(),
    };
    const promised = {
      init: () => later(''),
      add: (_: string, value: string | null, all: string) => later(`${all}${value}`),
      merge: (_: string, all: string, one: string) => later(`${all}${one}`),
      value: string(),
    };

    expect(await updates((of) => of.windowedBy(PAUSE).aggregate(promised), inputs, serde)).toEqual(
      await updates((of) => of.windowedBy(PAUSE).aggregate(plain), inputs, serde),
    );
  });
});
