import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';
import { kafkaProject } from '../test/support/kafka/kafka-project.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const second = 1_000;

/** The levels of test/ that need nothing but Node, and the longest a single test of each may take. */
const levels: Record<string, number> = {
  unit: 10 * second,
  property: 60 * second,
  conformance: 60 * second,
  simulation: 120 * second,
  parity: 120 * second,
  integration: 300 * second,
  architecture: 120 * second,
};
const kafkaTestTimeout = 300 * second;

const kafka = await kafkaProject();
const namesWhatDidNotRun: Reporter = { onTestRunEnd: () => console.log(kafka.notice) };

const timeouts = (timeoutMs: number) => ({
  testTimeout: timeoutMs,
  hookTimeout: Math.max(timeoutMs, 30 * second),
  teardownTimeout: 30 * second,
});

export default defineConfig({
  root,
  test: {
    globals: false,
    pool: 'forks',
    maxWorkers: 2,
    allowOnly: false,
    reporters: ['default', 'json', ...(kafka.notice === undefined ? [] : [namesWhatDidNotRun])],
    outputFile: { json: '.results/vitest.json' },
    coverage: { provider: 'v8', include: ['lib/**/*.ts'], reportsDirectory: '.results/coverage' },
    projects: [
      ...Object.entries(levels).map(([level, timeoutMs]) => ({
        extends: true as const,
        test: {
          name: level,
          include: [`test/${level}/**/*.test.ts`],
          exclude: [...kafka.all],
          ...timeouts(timeoutMs),
        },
      })),
      // Tests of several levels that share a broker. They come last, so that the fast ones are not slowed down by it.
      ...(kafka.include.length === 0
        ? []
        : [
            {
              extends: true as const,
              test: {
                name: 'kafka',
                include: [...kafka.include],
                globalSetup: ['test/support/kafka/shared-broker.ts'],
                sequence: { groupOrder: 1 },
                ...timeouts(kafkaTestTimeout),
              },
            },
          ]),
    ],
  },
});
