import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
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
