import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Runs on demand: thousands of seeds, long histories, soak tests. Files end in `.long.ts` and may stand in any level. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    globals: false,
    pool: 'forks',
    maxWorkers: 2,
    allowOnly: false,
    include: ['test/**/*.long.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 300_000,
    reporters: ['default', 'json'],
    outputFile: { json: '.results/vitest-long.json' },
  },
});
