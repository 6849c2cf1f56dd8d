/**
 * Where the tests on AWS's API run: the environment says so, and nothing but this file reads it.
 *
 *   1. `AWS_ENDPOINT_URL`: at that endpoint (LocalStack, or whatever speaks AWS's API)
 *   2. else `MILLRACE_TEST_AWS=1` and `AWS_PROFILE`: on AWS itself, by the SDK's own ways to credentials and region
 *   3. else on an emulator that the tests start (ministack)
 *
 * An empty variable counts as absent. Neither keys nor a profile lead to AWS: whoever happens to have exported them for other
 * work must not be billed for `npm test`. A run that leaves a profile alone says so at its end.
 */

export type Environment = Readonly<Record<string, string | undefined>>;
export type TargetKind = 'given' | 'aws' | 'ministack';

export interface TargetChoice {
  readonly kind: TargetKind;
  /** Absent where every service has an endpoint of its own (AWS), or where there is none yet (ministack). */
  readonly endpoint?: string;
  /** Name by which functions reach this machine; absent: they do not. */
  readonly testHost?: string;
  /** `host:port` of brokers that functions and tests reach; absent: the tests start one on this machine. */
  readonly brokers?: readonly string[];
  /** Factor on the bounds of waiting: AWS starts functions and spreads roles in seconds, not milliseconds. */
  readonly patience: number;
  /** Until the log of an invocation can be read. */
  readonly logDelayMs: number;
}

const AWS_PATIENCE = 4;
const AWS_LOG_DELAY_MS = 30_000;
const THIS_MACHINE = '127.0.0.1';

/** What has to be said besides, so that a run is billed: `MILLRACE_TEST_AWS=1`. */
const OPT_IN = { name: 'MILLRACE_TEST_AWS', value: '1' } as const;

/**
 * Chooses; touches nothing.
 *
 * @throws {Error} if AWS is asked for without a profile, or single services are given endpoints: there is one target for all
 */
export function chooseTarget(env: Environment): TargetChoice {
  const endpoint = wordOf(env, 'AWS_ENDPOINT_URL');
  const isAws = endpoint === undefined && wordOf(env, OPT_IN.name) === OPT_IN.value;
  if (isAws) {
    refuseNoProfile(env);
    refuseEndpointsOfServices(env);
  }
  const testHost = wordOf(env, 'MILLRACE_TEST_HOST') ?? (isAws ? undefined : THIS_MACHINE);
  const brokers = wordOf(env, 'MILLRACE_TEST_KAFKA_BROKERS')
    ?.split(',')
    .map((broker) => broker.trim())
    .filter((broker) => broker !== '');
  return {
    kind: endpoint !== undefined ? 'given' : isAws ? 'aws' : 'ministack',
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(testHost === undefined ? {} : { testHost }),
    ...(brokers === undefined || brokers.length === 0 ? {} : { brokers }),
    patience: isAws ? AWS_PATIENCE : 1,
    logDelayMs: isAws ? AWS_LOG_DELAY_MS : 0,
  };
}

/** What a run says at its end of a profile that it has left alone, in one line; or nothing. */
export function unusedProfileNotice(env: Environment): string | undefined {
  const profile = wordOf(env, 'AWS_PROFILE');
  if (profile === undefined || wordOf(env, 'AWS_ENDPOINT_URL') !== undefined || chooseTarget(env).kind === 'aws')
    return undefined;
  return `AWS_PROFILE (${profile}) WAS NOT USED. On AWS itself, billed, tests run with ${OPT_IN.name}=${OPT_IN.value} npm run test:aws.`;
}

/** A target that was opened (open-target.ts), as tests are given it. */
export interface AwsTarget extends TargetChoice {
  readonly region: string;
  /** What the names of all that is made there begin with: of this run alone, so that it can be found and removed. */
  readonly run: string;
}

function wordOf(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

function refuseNoProfile(env: Environment): void {
  if (wordOf(env, 'AWS_PROFILE') === undefined)
    throw new Error(`${OPT_IN.name}=${OPT_IN.value} asks for AWS: name the account to bill by AWS_PROFILE.`);
}

function refuseEndpointsOfServices(env: Environment): void {
  const names = Object.keys(env).filter((name) => /^AWS_ENDPOINT_URL_/.test(name) && wordOf(env, name) !== undefined);
  if (names.length > 0)
    throw new Error(`${names.join(', ')}: give AWS_ENDPOINT_URL for all services, or no endpoint and AWS_PROFILE.`);
}
