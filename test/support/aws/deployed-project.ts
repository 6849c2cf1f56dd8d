/** Whether a run can have the tests of test/deployed: they start a broker and an emulator of their own. */
import { kafkaAvailability } from '../kafka/availability.js';
import { filesOf, noticeOf } from '../not-run.js';
import type { AwsProject } from './aws-project.js';
import { missingForMinistack } from './ministack.js';

const globs = ['test/deployed/**/*.test.ts'] as const;

/** Decides it for this machine, as aws-project.ts does. */
export async function deployedProject(): Promise<AwsProject> {
  const missing = [(await kafkaAvailability()).missing, process.env.AWS_ENDPOINT_URL ? '' : await missingForMinistack()]
    .filter((one) => one !== '')
    .join(' · ');
  if (process.env.CI === 'true' || missing === '') return { include: globs, all: globs, notice: undefined };
  return { include: [], all: globs, notice: noticeOf('DEPLOYED', missing, filesOf('test/deployed', /\.test\.ts$/)) };
}
