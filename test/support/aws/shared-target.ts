/**
 * One target for all tests of the level `aws` (target.ts), opened before the first of them. Tests read `inject('awsTarget')` and
 * give tables, buckets and functions names of their own that begin with its `run`, since they share it with each other and
 * perhaps with others: whatever has such a name is removed after the last test, and a run that leaves something behind fails.
 */
import type { TestProject } from 'vitest/node';
import { leftovers, removeAll } from './leftovers.js';
import { missingForMinistack } from './ministack.js';
import { openTarget } from './open-target.js';
import { type AwsTarget, chooseTarget } from './target.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** What the tests share. */
    readonly awsTarget: AwsTarget;
  }
}

/** Vitest's global set-up of the level `aws`. @throws {Error} when there is no target and none can be started */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const missing = chooseTarget(process.env).kind === 'ministack' ? await missingForMinistack() : '';
  if (missing !== '')
    throw new Error(`These tests need an emulator of AWS. Give one by AWS_ENDPOINT_URL, or install ${missing}.`);
  // Roles are what the deployed test is for: here every call is allowed.
  const { env: _, stop, ...target } = await openTarget({ auth: false });
  project.provide('awsTarget', target);
  return async () => {
    try {
      if (target.kind === 'ministack') return; // it goes with all that is in it
      await removeAll(target);
      const left = await leftovers(target, target.run);
      if (left.length > 0) throw new Error(`the tests left behind: ${left.join(', ')}`);
    } catch (error) {
      process.exitCode = 1; // Vitest prints what a tear-down throws, and ends as if nothing had been
      throw error;
    } finally {
      await stop();
    }
  };
}
