import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runTopologyCase } from './topology-cases.js';

const folder = fileURLToPath(new URL('./cases/topology/', import.meta.url));
const cases = readdirSync(folder).map((file) => ({
  file,
  json: JSON.parse(readFileSync(folder + file, 'utf8')) as unknown,
}));

describe('topologies, tasks and internal topics are those of Kafka Streams', () => {
  for (const { file, json } of cases) {
    it(`answers ${file} as Kafka Streams does`, () => {
      expect(runTopologyCase(json)).toEqual([]);
    });
  }
});
