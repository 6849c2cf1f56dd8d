import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { type SessionStore, StreamsBuilder, session, sessionWindowedSerde, string } from '../../lib/index.js';
import { drive, type Grouped, grouped, type Input, listed, pipe, shown, updates } from '../support/windowed-updates.js';
import type { CaseNode } from './case-nodes.js';
import type { ProcessingCase } from './parity-case.js';
import { runProcessingCase } from './run-case.js';

const CASES = ['tumbling', 'hopping', 'sliding', 'session'].map((kind) => `${kind}-emit-on-close-long-retention`);

/** The same case with the retention that stores have by default: then Kafka Streams loses results where stream time jumps. */
function withDefaultRetention(of: ProcessingCase): ProcessingCase {
  const nodes = (of.topology.nodes as unknown as readonly CaseNode[]).map(({ retentionMs: _, ...node }) => node);
  return { ...of, topology: { ...of.topology, nodes } as unknown as ProcessingCase['topology'] };
}

test.each([...CASES, 'rnd-emit-close'])(
  '%s: final results are those of a long retention, whatever the retention',
  async (name) => {
    const path = new URL(`./cases/processing/${name}.json`, import.meta.url);
    const of = withDefaultRetention(JSON.parse(readFileSync(path, 'utf8')) as ProcessingCase);

    const differences = await runProcessingCase(of);

    expect(of.outputs?.length).toBeGreaterThan(0);
    expect(differences.filter((difference) => /^(output|error|description|changelog)/.test(difference))).toEqual([]);
  },
);

/** Where Kafka Streams loses a result, or writes over what is to be one: what its answer is without the loss. */
describe('final results of sessions with the default retention', () => {
  const WINDOWS = session({ inactivityGap: '30s', grace: '5s' });
  const count = (inMemory: boolean) => (of: Grouped) =>
    of.windowedBy(WINDOWS).emitStrategy('onWindowClose').count({ store: 'sessions', inMemory });
  const at = (...seconds: readonly number[]): readonly Input[] => seconds.map((each) => ['k', 'v', each * 1_000]);

  describe.each([['on disk', false] as const, ['in memory', true] as const])('in a store that is %s', (_, inMemory) => {
    const results = (...seconds: readonly number[]) =>
      updates(count(inMemory), at(...seconds), sessionWindowedSerde(string()));

    it('count no record again that a final result has counted', async () => {
      expect(await results(0, 50, 25, 1_000)).toEqual(['k@0-0=1@0', 'k@25000-50000=2@50000']);
    });

    it('are of the sessions that the retention covers: one that is to close next is left as it is', async () => {
      expect(await results(0, 35, 20, 1_000)).toEqual(['k@0-0=1@0', 'k@20000-35000=2@35000']);
    });

    it('count every record of a session that would be written over', async () => {
      expect(await results(0, 35, 0, 0, 1_000)).toEqual(['k@0-0=3@0', 'k@35000-35000=1@35000']);
    });

    it('are given once each in every jump of stream time', async () => {
      expect(await results(0, 1_000, 2_000, 1_990, 3_000)).toEqual([
        'k@0-0=1@0',
        'k@1000000-1000000=1@1000000',
        'k@1990000-2000000=2@2000000',
      ]);
    });

    it('come of sessions that reads find no more', async () => {
      const builder = new StreamsBuilder();
      count(inMemory)(grouped(builder));
      const driver = await drive(builder);
      await pipe(driver, at(0, 35));
      const store = driver.getStore<SessionStore<string, number>>('sessions');

      expect((await listed(store.fetchRange(null, null))).map(({ key }) => shown(key))).toEqual(['k@35000-35000']);
      expect(await store.fetchSession('k', 0, 0)).toBe(null);
      expect(await listed(store.findSessions('k', 0, 100_000))).toHaveLength(1);
      await driver.close();
    });
  });
});
