import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it } from 'vitest';
import { waitFor } from '../../support/wait-for.js';

const program = fileURLToPath(new URL('../../support/processes/emulator-process.ts', import.meta.url));

async function answers(endpoint: string): Promise<boolean> {
  return fetch(`${endpoint}/_localstack/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}

describe('an emulator of AWS', () => {
  it('ends with the process that started it, even when that is killed', async () => {
    const owner = spawn(process.execPath, ['--import', 'tsx', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(owner.stdout, 'data')) as [Buffer];
    const endpoint = line.toString().trim();
    const before = await answers(endpoint);

    owner.kill('SIGKILL');

    expect(before).toBe(true);
    expect(endpoint).not.toBe(inject('awsTarget').endpoint);
    await waitFor('the end of the emulator', async () => !(await answers(endpoint)));
  });
});
