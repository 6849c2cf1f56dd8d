import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** One file at a time and in one worker, so that benches do not disturb each other. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    include: [],
    benchmark: { include: ['bench/**/*.bench.ts'], outputJson: '.results/bench.json' },
  },
});
