import { describe, expect, it } from 'vitest';
import { awsTestsLeftOut } from '../../support/aws/aws-project.js';
import { clientConfig, s3Client } from '../../support/aws/clients.js';
import { deployedTestsLeftOut } from '../../support/aws/deployed-project.js';
import { emulatorEnv } from '../../support/aws/emulator.js';
import { chooseTarget, unusedProfileNotice } from '../../support/aws/target.js';

const ENDPOINT = 'http://127.0.0.1:4566';
const AWS = { AWS_PROFILE: 'work', MILLRACE_TEST_AWS: '1' };
const all = { java: '', python: '', enforced: true, isStrict: false };
const filesOf = (leftOut: readonly { readonly files: readonly string[] }[]) => leftOut.flatMap(({ files }) => files);

describe('the target of the tests', () => {
  it('is the endpoint that is given, whatever profile there is', () => {
    const choice = chooseTarget({ AWS_ENDPOINT_URL: ENDPOINT, ...AWS });

    expect(choice).toMatchObject({ kind: 'given', endpoint: ENDPOINT, testHost: '127.0.0.1', patience: 1 });
  });

  it('is AWS where there is a profile, the word that it may be used, and no endpoint', () => {
    const choice = chooseTarget({ ...AWS, AWS_ENDPOINT_URL: '' });

    expect(choice).toEqual({ kind: 'aws', patience: 4, logDelayMs: 30_000 });
  });

  it.each([
    {},
    { AWS_PROFILE: '', AWS_ENDPOINT_URL: ' ' },
    { CI: 'true' },
    { AWS_PROFILE: 'work' },
    { AWS_PROFILE: 'work', MILLRACE_TEST_AWS: '0' },
    { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'eu-west-1' },
  ])('is an emulator of our own with %j', (env) => {
    expect(chooseTarget(env)).toEqual({ kind: 'ministack', testHost: '127.0.0.1', patience: 1, logDelayMs: 0 });
  });

  it('is told of brokers, and of the name by which functions reach this machine', () => {
    const env = { MILLRACE_TEST_KAFKA_BROKERS: 'a:9092, b:9092,', MILLRACE_TEST_HOST: 'host.docker.internal' };

    expect(chooseTarget({ ...AWS, ...env })).toMatchObject({
      brokers: ['a:9092', 'b:9092'],
      testHost: 'host.docker.internal',
    });
    expect(chooseTarget({ MILLRACE_TEST_KAFKA_BROKERS: ' , ' }).brokers).toBe(undefined);
  });

  it('is refused where a single service is sent elsewhere', () => {
    const env = { ...AWS, AWS_ENDPOINT_URL_S3: ENDPOINT };

    expect(() => chooseTarget(env)).toThrow(/AWS_ENDPOINT_URL_S3/);
    expect(chooseTarget({ ...env, AWS_ENDPOINT_URL: ENDPOINT }).kind).toBe('given');
  });

  it('is refused where AWS is asked for and no account is named', () => {
    expect(() => chooseTarget({ MILLRACE_TEST_AWS: '1', AWS_ACCESS_KEY_ID: 'a' })).toThrow(/AWS_PROFILE/);
  });
});

describe('the end of a run', () => {
  it('says in one line that a profile was left alone, and how it is used', () => {
    const notice = unusedProfileNotice({ AWS_PROFILE: 'work' });

    expect(notice).toMatch(/^AWS_PROFILE \(work\) WAS NOT USED.*MILLRACE_TEST_AWS=1/);
    expect(notice).not.toContain('\n');
  });

  it.each([{}, AWS, { ...AWS, AWS_ENDPOINT_URL: ENDPOINT }, { AWS_PROFILE: 'work', AWS_ENDPOINT_URL: ENDPOINT }])(
    'says nothing of profiles with %j',
    (env) => {
      expect(unusedProfileNotice(env)).toBe(undefined);
    },
  );
});

describe('a client of the target', () => {
  it('leaves credentials and the form of names to the SDK on AWS', () => {
    const config = clientConfig({ region: 'eu-west-1' });

    expect(config).toEqual({ region: 'eu-west-1' });
    expect(s3Client(config).config.forcePathStyle).toBe(false);
  });

  it('has an endpoint, keys and one name for all buckets on an emulator', () => {
    const config = clientConfig({ region: 'us-east-1', endpoint: ENDPOINT });

    expect(config).toMatchObject({ region: 'us-east-1', endpoint: ENDPOINT });
    expect(config.credentials).toBeDefined();
    expect(s3Client(config).config.forcePathStyle).toBe(true);
  });

  it('uses the keys of who gives an emulator, else those of its first account', () => {
    const given = emulatorEnv(ENDPOINT, { AWS_ACCESS_KEY_ID: '111111111111', AWS_SECRET_ACCESS_KEY: 's' });

    expect([given.AWS_ACCESS_KEY_ID, given.AWS_SECRET_ACCESS_KEY]).toEqual(['111111111111', 's']);
    expect(emulatorEnv(ENDPOINT)).toMatchObject({ AWS_ACCESS_KEY_ID: 'test', AWS_REGION: 'us-east-1' });
  });
});

describe('tests of the level aws that a target can not have', () => {
  it('are none on an emulator, and all without one', () => {
    const choice = chooseTarget({});

    expect(awsTestsLeftOut(choice, '')).toEqual([]);
    expect(filesOf(awsTestsLeftOut(choice, 'Python')).length).toBeGreaterThanOrEqual(9);
  });

  it('are none at an endpoint but those of emulators of our own', () => {
    const choice = chooseTarget({ AWS_ENDPOINT_URL: ENDPOINT });

    expect(awsTestsLeftOut(choice, '')).toEqual([]);
    expect(filesOf(awsTestsLeftOut(choice, 'Python'))).toEqual(['test/integration/emulator/emulator.test.ts']);
  });

  it('are those with faults on AWS, and those whose functions call back unless they can', () => {
    const called = 'test/conformance/lambda-invoker.test.ts';
    const left = filesOf(awsTestsLeftOut(chooseTarget(AWS), ''));
    const leftWithHost = filesOf(awsTestsLeftOut(chooseTarget({ ...AWS, MILLRACE_TEST_HOST: 'here' }), ''));

    expect(left.every((file) => file === called || /integration\/aws\/|-faults/.test(file))).toBe(true);
    expect(left).toContain('test/property/leases/dynamodb-faults.test.ts');
    expect(left).toContain('test/integration/aws/s3-faults.test.ts');
    expect(leftWithHost).toEqual(left.filter((file) => file !== called));
    expect(leftWithHost.length).toBe(left.length - 1);
  });
});

describe('tests of deployed functions that a target can not have', () => {
  const locked = ['test/deployed/broker-login.test.ts', 'test/deployed/member-processes.test.ts'];
  const counts = ['test/deployed/faults.test.ts', 'test/deployed/word-count.test.ts'];
  const roles = ['test/deployed/permissions.test.ts', 'test/deployed/roles.test.ts'];
  const leftOut = (env: Record<string, string>, here: Partial<typeof all> = {}) =>
    deployedTestsLeftOut(chooseTarget(env), { ...all, ...here });
  /** Of the files that are named here, those that are left out. */
  const named = (leftOut: Parameters<typeof filesOf>[0]) =>
    [...counts, ...locked, ...roles].filter((file) => filesOf(leftOut).includes(file));

  it('are all without a broker or an emulator', () => {
    expect(leftOut({})).toEqual([]);
    expect(named(leftOut({}, { java: 'Java' }))).toEqual([...counts, ...locked, ...roles]);
    expect(leftOut({}, { java: 'Java', python: 'Python' })[0]?.wanted).toBe('Java · Python');
  });

  it('are those with a password where a broker is given and none can be started', () => {
    expect(filesOf(leftOut({ MILLRACE_TEST_KAFKA_BROKERS: 'a:9092' }, { java: 'Java' }))).toEqual(locked);
  });

  it('are on AWS those that need a broker which AWS does not reach', () => {
    const lacking = { java: 'Java', python: 'Python' };

    expect(named(leftOut(AWS))).toEqual([...counts, ...locked]);
    expect(leftOut(AWS)[0]?.wanted).toMatch(/MILLRACE_TEST_KAFKA_BROKERS/);
    expect(filesOf(leftOut({ ...AWS, MILLRACE_TEST_KAFKA_BROKERS: 'a:9092' }, lacking))).toEqual(locked);
    expect(filesOf(leftOut(AWS, { isStrict: true }))).toEqual(locked);
  });

  it('are at an endpoint without roles those about roles', () => {
    expect(filesOf(leftOut({ AWS_ENDPOINT_URL: ENDPOINT }, { enforced: false }))).toEqual(roles);
    expect(leftOut({ AWS_ENDPOINT_URL: ENDPOINT }, { python: 'Python' })).toEqual([]);
  });
});
