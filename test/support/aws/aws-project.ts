/**
 * Which tests need an emulator of AWS, and whether a run can have them.
 *
 * As with Kafka: a machine without Python leaves them out and names them at the end of the run, in capitals; a run with
 * `CI=true` has no such excuse: there they stay in, and fail for want of an emulator.
 */
import { filesOf, noticeOf } from '../not-run.js';
import { missingForMinistack } from './ministack.js';

/** Tests that need an emulator, any emulator. */
const sharedTests = {
  globs: [
    'test/{conformance,property}/**/{dynamodb,s3,lambda}-*.test.ts',
    'test/integration/aws/**/*.test.ts',
  ] as readonly string[],
  names: /^(conformance|property)\/(.*\/)?(dynamodb|s3|lambda)-[^/]*\.test\.ts$|^integration\/aws\/.*\.test\.ts$/,
};
/** Tests that start one of their own. */
const ownTests = {
  globs: ['test/integration/emulator/**/*.test.ts'] as readonly string[],
  names: /^integration\/emulator\/.*\.test\.ts$/,
};

export interface AwsProject {
  /** Files of the level `aws`, to run; empty: there is nothing that can run. */
  readonly include: readonly string[];
  /** Files that other levels must leave alone. */
  readonly all: readonly string[];
  /** What to say at the end of the run, or nothing. */
  readonly notice: string | undefined;
}

/** Decides it for this machine. */
export async function awsProject(): Promise<AwsProject> {
  const all = [...sharedTests.globs, ...ownTests.globs];
  const missing = await missingForMinistack();
  if (process.env.CI === 'true' || missing === '') return { include: all, all, notice: undefined };
  const isGiven = Boolean(process.env.AWS_ENDPOINT_URL);
  const left = isGiven ? [ownTests] : [sharedTests, ownTests];
  const how = isGiven ? '' : ', or set AWS_ENDPOINT_URL to a running emulator (LocalStack)';
  const files = left.flatMap(({ names }) => filesOf('test', names));
  return { include: isGiven ? sharedTests.globs : [], all, notice: noticeOf('AWS', `${missing}${how}`, files) };
}
