import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runAssignmentCase } from './assignment-cases.js';

const folder = fileURLToPath(new URL('./cases/assignment/', import.meta.url));
const cases = readdirSync(folder).map((file) => ({
  file,
  json: JSON.parse(readFileSync(folder + file, 'utf8')) as unknown,
}));

describe('placements are those of Kafka Streams', () => {
  for (const { file, json } of cases) {
    it(`answers ${file} as Kafka Streams does`, () => {
      expect(runAssignmentCase(json)).toEqual([]);
    });
  }
});
