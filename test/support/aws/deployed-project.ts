/** Which tests of test/deployed a run can have: they need a target on AWS's API, and some of them a broker. */
import { type KafkaAvailability, kafkaAvailability } from '../kafka/availability.js';
import { filesOf } from '../not-run.js';
import { type AwsProject, type LeftOut, projectOf } from './aws-project.js';
import { missingForMinistack } from './ministack.js';
import { chooseTarget, type Environment, type TargetChoice } from './target.js';

/** What roles may do; no record is processed. */
const roleTests = filesOf('test/deployed', /^(roles|permissions)\.test\.ts$/);
/** They start a broker of their own on this machine: one that asks for a password, or one for members that are no functions. */
const ownBrokerTests = filesOf('test/deployed', /^(broker-login|member-processes)\.test\.ts$/);
const countTests = filesOf('test/deployed', /\.test\.ts$/).filter(
  (file) => !roleTests.includes(file) && !ownBrokerTests.includes(file),
);

/** Decides it for this machine, as aws-project.ts does. */
export async function deployedProject(env: Environment = process.env): Promise<AwsProject> {
  const choice = chooseTarget(env);
  const isStrict = env.CI === 'true';
  const kafka = await kafkaAvailability();
  const python = isStrict ? '' : await missingForMinistack();
  const enforced = choice.kind !== 'given' || (await isEnforced(env));
  const leftOut = deployedTestsLeftOut(choice, { java: isStrict ? '' : kafka.missing, python, enforced, isStrict });
  return projectOf('DEPLOYED', [...countTests, ...ownBrokerTests, ...roleTests], leftOut);
}

export interface Circumstances {
  /** What this machine lacks to run a broker, or nothing. */
  readonly java: KafkaAvailability['missing'];
  /** What it lacks to run ministack, or nothing. */
  readonly python: string;
  /** Whether the target holds roles to their policies. */
  readonly enforced: boolean;
  /** Whether tests that lack something stay in, and fail. */
  readonly isStrict: boolean;
}

export function deployedTestsLeftOut(choice: TargetChoice, here: Circumstances): readonly LeftOut[] {
  const { java, python, enforced, isStrict } = here;
  if (choice.kind === 'ministack') {
    const wanted = [choice.brokers === undefined ? java : '', python].filter((one) => one !== '').join(' · ');
    if (wanted !== '') return [{ files: [...countTests, ...ownBrokerTests, ...roleTests], wanted }];
    return java === '' ? [] : [{ files: ownBrokerTests, wanted: java }];
  }
  const own = choice.kind === 'aws' ? 'a broker of the tests on this machine, which AWS does not reach' : java;
  const broker =
    choice.brokers !== undefined || (choice.kind === 'aws' && isStrict)
      ? ''
      : choice.kind === 'aws'
        ? 'a Kafka broker that functions on AWS and this machine reach, by MILLRACE_TEST_KAFKA_BROKERS'
        : java;
  return [
    ...(broker === '' ? [] : [{ files: countTests, wanted: broker }]),
    ...(own === '' ? [] : [{ files: ownBrokerTests, wanted: own }]),
    ...(enforced ? [] : [{ files: roleTests, wanted: 'a target that enforces roles: this one allows everything' }]),
  ];
}

/** A target that does not answer is the tests' own failure to report. */
async function isEnforced(env: Environment): Promise<boolean> {
  // AWS's clients are loaded for this alone: most runs have no need of them here.
  const { openTarget } = await import('./open-target.js');
  const { enforcesRoles } = await import('./enforced-roles.js');
  const target = await openTarget({}, env).catch(() => undefined);
  return target === undefined || (await enforcesRoles(target));
}
