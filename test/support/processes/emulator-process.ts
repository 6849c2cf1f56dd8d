/** Starts an emulator of AWS, says where, and waits to be killed. */
import { startEmulator } from '../aws/emulator.js';

const { endpoint } = await startEmulator({ auth: false });
process.stdout.write(`${endpoint}\n`);
setInterval(() => undefined, 60_000);
