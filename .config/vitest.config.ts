import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { awsProject } from '../test/support/aws/aws-project.js';
import { deployedProject } from '../test/support/aws/deployed-project.js';
import { patiently } from '../test/support/aws/patience.js';
import { unusedProfileNotice } from '../test/support/aws/target.js';
import { kafkaProject } from '../test/support/kafka/kafka-project.js';
import { namesWhatDidNotRun } from '../test/support/not-run.js';

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
const serviceTestTimeout = 300 * second;
/** On AWS a deployment alone takes minutes. */
const awsTestTimeout = patiently(serviceTestTimeout);

/**
 * Tests of several levels that share a broker, or a target on AWS's API: each service is a level of its own. So are those that
 * deploy the functions, each file with a broker and a target of its own, one after the other.
 */
const services = [
  {
    name: 'kafka',
    atOnce: true,
    timeoutMs: serviceTestTimeout,
    globalSetup: ['test/support/kafka/shared-broker.ts'],
    ...(await kafkaProject()),
  },
  {
    name: 'aws',
    atOnce: true,
    timeoutMs: awsTestTimeout,
    globalSetup: ['test/support/aws/shared-target.ts'],
    ...(await awsProject()),
  },
  { name: 'deployed', atOnce: false, timeoutMs: awsTestTimeout, globalSetup: [], ...(await deployedProject()) },
];
const notices = [...services.map(({ notice }) => notice), unusedProfileNotice(process.env)].filter(
  (notice) => notice !== undefined,
);

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
    reporters: ['default', 'json', namesWhatDidNotRun(notices)],
    outputFile: { json: '.results/vitest.json' },
    coverage: { provider: 'v8', include: ['lib/**/*.ts'], reportsDirectory: '.results/coverage' },
    projects: [
      ...Object.entries(levels).map(([level, timeoutMs]) => ({
        extends: true as const,
        test: {
          name: level,
          include: [`test/${level}/**/*.test.ts`],
          exclude: services.flatMap((service) => service.all),
          ...timeouts(timeoutMs),
        },
      })),
      // They come last, one service after the other, so that the fast tests are not slowed down by them.
      ...services
        .filter((service) => service.include.length > 0)
        .map(({ name, include, globalSetup, atOnce, timeoutMs }, index) => ({
          extends: true as const,
          test: {
            name,
            include: [...include],
            globalSetup: [...globalSetup],
            fileParallelism: atOnce,
            sequence: { groupOrder: index + 1 },
            ...timeouts(timeoutMs),
          },
        })),
    ],
  },
});
