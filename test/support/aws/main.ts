/**
 * An emulator of AWS's API to deploy to by hand: `npm run emulator`.
 *
 * Starts one, prints the variables by which everything finds it, and ends it at Ctrl-C with all that it holds. Roles are not
 * enforced, so no request has to be signed.
 */
import { once } from 'node:events';
import { emulatorEnv, startEmulator } from './emulator.js';
import { missingForMinistack } from './ministack.js';

async function main(): Promise<void> {
  const missing = await missingForMinistack();
  if (missing !== '') throw new Error(`The emulator needs ${missing}.`);
  const ending = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const { endpoint, stop } = await startEmulator({ auth: false });
  try {
    const variables = Object.entries(emulatorEnv(endpoint)).map(([name, value]) => `${name}=${value}`);
    console.log(`unset AWS_PROFILE; export ${variables.join(' ')}`);
    console.log('Press Ctrl-C to end it.');
    await ending;
  } finally {
    await stop();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
