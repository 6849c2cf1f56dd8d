import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runTopologyCase } from './topology-cases.js';

const folder = fileURLToPath(new URL('./cases/topology/', import.meta.url));
const cases = readdirSync(folder).map((file) => ({
  file,
  json: JSON.parse(readFileSync(folder + file, 'utf8')) as unknown,
}));

/** Cases whose operators do not exist yet, with the first that is missing: to be shortened as operators come. */
const NOT_YET: Readonly<Record<string, string>> = {
  'fk-join.json': 'foreign-key join',
};

describe('topologies, tasks and internal topics are those of Kafka Streams', () => {
  for (const { file, json } of cases.filter((of) => NOT_YET[of.file] === undefined)) {
    it(`answers ${file} as Kafka Streams does`, () => {
      expect(runTopologyCase(json)).toEqual([]);
    });
  }

  it('says which operator is missing for the cases that cannot be built yet', () => {
    const missing = cases
      .filter((of) => NOT_YET[of.file] !== undefined)
      .map(({ file, json }) => {
        try {
          return [file, `built: ${runTopologyCase(json).join('; ')}`];
        } catch (error) {
          return [file, (error as Error).message.replace('missing operator: ', '')];
        }
      });

    expect(Object.fromEntries(missing)).toEqual(NOT_YET);
  });
});
