/**
 * One emulator for all tests of the level `aws`: the one given by `AWS_ENDPOINT_URL`, else one that is started before the first
 * of them and ended after the last. Tests read `inject('awsEndpoint')` and give tables, buckets and functions names of their
 * own, since they share it with each other and perhaps with earlier runs.
 */
import type { TestProject } from 'vitest/node';
import { startEmulator } from './emulator.js';
import { missingForMinistack } from './ministack.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the emulator that the tests share listens: `http://host:port`. */
    readonly awsEndpoint: string;
  }
}

/** Vitest's global set-up of the level `aws`. @throws {Error} when there is no emulator and none can be started */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const missing = process.env.AWS_ENDPOINT_URL ? '' : await missingForMinistack();
  if (missing !== '')
    throw new Error(`These tests need an emulator of AWS. Give one by AWS_ENDPOINT_URL, or install ${missing}.`);
  // Roles are what the deployed test is for: here every call is allowed.
  const emulator = await startEmulator({ auth: false });
  project.provide('awsEndpoint', emulator.endpoint);
  return () => emulator.stop();
}
