import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const kafkaTests = 'test/integration/kafka/**/*.long.ts';

/** Runs on demand: thousands of seeds, long histories, soak tests. Files end in `.long.ts` and may stand in any level. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    globals: false,
    pool: 'forks',
    maxWorkers: 2,
    allowOnly: false,
    testTimeout: 3_600_000,
    hookTimeout: 300_000,
    reporters: ['default', 'json'],
    outputFile: { json: '.results/vitest-long.json' },
    projects: [
      { extends: true, test: { name: 'long', include: ['test/**/*.long.ts'], exclude: [kafkaTests] } },
      {
        extends: true,
        test: {
          name: 'long-kafka',
          include: [kafkaTests],
          globalSetup: ['test/support/kafka/shared-broker.ts'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
