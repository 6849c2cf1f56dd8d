import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));
const second = 1_000;

/** The levels of test/ and the longest a single test of each may take. */
const levels: Record<string, number> = {
  unit: 10 * second,
  property: 60 * second,
  conformance: 60 * second,
  simulation: 120 * second,
  parity: 120 * second,
  integration: 300 * second,
  architecture: 120 * second,
};

export default defineConfig({
  root,
  test: {
    globals: false,
    pool: 'forks',
    maxWorkers: 2,
    allowOnly: false,
    reporters: ['default', 'json'],
    outputFile: { json: '.results/vitest.json' },
    coverage: { provider: 'v8', include: ['lib/**/*.ts'], reportsDirectory: '.results/coverage' },
    projects: Object.entries(levels).map(([level, timeoutMs]) => ({
      extends: true as const,
      test: {
        name: level,
        include: [`test/${level}/**/*.test.ts`],
        testTimeout: timeoutMs,
        hookTimeout: Math.max(timeoutMs, 30 * second),
        teardownTimeout: 30 * second,
      },
    })),
  },
});
