// Ends brokers whose owner is gone, and removes their data. The owner writes `start <pid>`, `end <pid>` and `folder <path>` to
// the standard input, which closes when it dies, however it dies. Only what was named here is ended.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const pids = new Set();
const folders = [];

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const [word, ...rest] = line.split(' ');
  const value = rest.join(' ');
  if (word === 'start') pids.add(Number(value));
  if (word === 'end') pids.delete(Number(value));
  if (word === 'folder') folders.push(value);
});

lines.on('close', () => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it ended by itself
    }
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});
