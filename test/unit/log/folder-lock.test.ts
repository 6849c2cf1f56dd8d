import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from '../../../lib/log/memory/folder-lock.js';
import { createMemoryLog } from '../../../lib/log/memory/memory-log.js';
import { InvalidFolderError } from '../../../lib/model/errors.js';
import { codeOf } from '../../../lib/testing/conformance/test-runner.js';
import { createTestHost } from '../../support/test-host.js';

const LOCK_MODULE = fileURLToPath(new URL('../../../lib/log/memory/folder-lock.ts', import.meta.url));

let dir: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'millrace-lock-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

/** Another process that tries to take the folder, says what came of it, and stays until it is killed. */
async function otherProcess(): Promise<{ child: ChildProcess; said: string }> {
  const program = `
    const { lockFolder } = await import(${JSON.stringify(LOCK_MODULE)});
    try { lockFolder(${JSON.stringify(dir)}); process.stdout.write('taken'); }
    catch (error) { process.stdout.write(error.code ?? String(error)); }
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [said] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  return { child, said: String(said) };
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function refusal(): InvalidFolderError | null {
  try {
    lockFolder(dir);
    return null;
  } catch (thrown) {
    if (thrown instanceof InvalidFolderError) return thrown;
    throw thrown;
  }
}

function lockFile(): string {
  const [name, ...others] = readdirSync(dir);
  expect(others).toEqual([]);
  return join(dir, name ?? '');
}

describe('the lock of a folder', () => {
  it('is refused to a second process while the first one lives, and taken over when it was killed', async () => {
    const first = await otherProcess();
    const refused = refusal();
    const second = await otherProcess();
    await kill(first.child);

    expect(first.said).toBe('taken');
    expect(second.said).toBe('STREAMS_INVALID_FOLDER');
    expect(refused?.message).toContain(`process ${first.child.pid}`);
    expect(refused?.remedy).toContain(lockFile());
    expect(refusal()).toBe(null);
  }, 30_000);

  it('goes to one of many processes that find a dead one', async () => {
    const dead = await otherProcess();
    await kill(dead.child);

    const said = (await Promise.all([otherProcess(), otherProcess(), otherProcess()])).map((other) => other.said);

    expect(said.sort()).toEqual(['STREAMS_INVALID_FOLDER', 'STREAMS_INVALID_FOLDER', 'taken']);
  }, 30_000);

  it('is refused to the process that has it', () => {
    const lock = lockFolder(dir);

    expect(refusal()?.code).toBe('STREAMS_INVALID_FOLDER');

    lock.release('');
    expect(refusal()).toBe(null);
  });

  it('hands over what the last holder left, and nothing after a crash', () => {
    lockFolder(dir).release('all is well');
    const second = lockFolder(dir);
    const crashed = JSON.parse(readFileSync(lockFile(), 'utf8'));
    writeFileSync(lockFile(), JSON.stringify({ ...crashed, startedAt: '1' }));

    expect(second.leftBefore).toBe('all is well');
    expect(lockFolder(dir).leftBefore).toBe('');
  });

  it('is taken from a process whose number another one has now, and from one before the machine started again', () => {
    lockFolder(dir);
    const mine = JSON.parse(readFileSync(lockFile(), 'utf8'));

    writeFileSync(lockFile(), JSON.stringify({ ...mine, startedAt: '1' }));
    expect(refusal()).toBe(null);
    writeFileSync(lockFile(), JSON.stringify({ ...mine, bootId: 'another' }));
    expect(refusal()).toBe(null);
  });

  it('is left alone where nobody can tell whether its holder lives: on another machine, or not readable', () => {
    lockFolder(dir);
    const mine = JSON.parse(readFileSync(lockFile(), 'utf8'));

    for (const text of [JSON.stringify({ ...mine, hostName: 'elsewhere' }), '{"pid":', '', '{"pid":-1}']) {
      writeFileSync(lockFile(), text);
      expect(refusal()?.code, text).toBe('STREAMS_INVALID_FOLDER');
    }
  });

  it('is given back by one that was robbed without touching the new holder', () => {
    const robbed = lockFolder(dir);
    const mine = JSON.parse(readFileSync(lockFile(), 'utf8'));
    writeFileSync(lockFile(), JSON.stringify({ ...mine, startedAt: '1' }));
    lockFolder(dir);

    robbed.release('');

    expect(refusal()?.code).toBe('STREAMS_INVALID_FOLDER');
  });

  it('guards a log, also after an opening that failed', async () => {
    const host = createTestHost();
    const log = await createMemoryLog({ host, dir });
    expect(await codeOf(createMemoryLog({ host, dir }))).toBe('STREAMS_INVALID_FOLDER');
    await log.createTopic({ name: 't', partitions: 1, config: {} });
    await log.close();

    const again = await createMemoryLog({ host, dir });

    expect(await again.listTopics()).toEqual(['t']);
    await again.close();
  });
});
