/**
 * Which tests need AWS's API, and which of them a run can have at its target (target.ts).
 *
 * As with Kafka: what a machine lacks leaves them out and names them at the end of the run, in capitals; a run with `CI=true` has
 * no such excuse: there they stay in, and fail. What a target can not do is named and left out everywhere: whoever gives a target has
 * chosen it.
 */
import { filesOf, noticeOf } from '../not-run.js';
import { missingForMinistack } from './ministack.js';
import { chooseTarget, type Environment, type TargetChoice } from './target.js';

/** Requests go through a proxy that loses, delays and throttles them: it needs an endpoint to stand before. */
const faultTests = filesOf(
  'test',
  /^integration\/aws\/.*\.test\.ts$|^property\/(.*\/)?(dynamodb|s3|lambda)-faults\.test\.ts$/,
);
/** Functions call the test. */
const calledTests = filesOf('test', /^(conformance|integration\/aws)\/lambda-[^/]*\.test\.ts$/);
/** All that need a target, any target. */
const sharedTests = filesOf(
  'test',
  /^(conformance|property)\/(.*\/)?(dynamodb|s3|lambda)-[^/]*\.test\.ts$|^integration\/aws\/.*\.test\.ts$/,
);
/** Tests that start an emulator of their own. */
const ownTests = filesOf('test', /^integration\/emulator\/.*\.test\.ts$/);

export interface AwsProject {
  /** Files of the level, to run; empty: there is nothing that can run. */
  readonly include: readonly string[];
  /** Files that other levels must leave alone. */
  readonly all: readonly string[];
  /** What to say at the end of the run, or nothing. */
  readonly notice: string | undefined;
}

/** Tests that are left out for one reason. */
export interface LeftOut {
  readonly files: readonly string[];
  readonly wanted: string;
}

/** Decides it for this machine. */
export async function awsProject(env: Environment = process.env): Promise<AwsProject> {
  const python = await missingForMinistack();
  return projectOf(
    'AWS',
    [...sharedTests, ...ownTests],
    awsTestsLeftOut(chooseTarget(env), env.CI === 'true' ? '' : python),
  );
}

/** @param python what this machine lacks to run ministack, or nothing */
export function awsTestsLeftOut({ kind, testHost }: TargetChoice, python: string): readonly LeftOut[] {
  const own = { files: ownTests, wanted: python };
  if (kind === 'ministack')
    return [
      {
        files: [...sharedTests, ...ownTests],
        wanted: `${python}, or AWS_ENDPOINT_URL (LocalStack), or AWS_PROFILE and MILLRACE_TEST_AWS=1`,
      },
    ].filter(() => python !== '');
  if (kind === 'given') return python === '' ? [] : [own];
  const unreached = calledTests.filter((file) => !faultTests.includes(file));
  return [
    { files: faultTests, wanted: 'an endpoint before which faults can be made: AWS has none, an emulator has' },
    ...(testHost === undefined
      ? [{ files: unreached, wanted: 'MILLRACE_TEST_HOST, a name by which functions on AWS reach this machine' }]
      : []),
    ...(python === '' ? [] : [own]),
  ];
}

/** What is left of all files. */
export function projectOf(what: string, all: readonly string[], leftOut: readonly LeftOut[]): AwsProject {
  const out = new Set(leftOut.flatMap(({ files }) => files));
  const notice = leftOut.map(({ files, wanted }) => noticeOf(what, wanted, files)).join('');
  return { include: all.filter((file) => !out.has(file)), all, notice: notice === '' ? undefined : notice };
}
