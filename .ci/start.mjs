// Does what a reader of the README does first: `npm start`, open the page, look at the counts, press Ctrl-C.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const startupMs = 60_000;
const countsMs = 30_000;
const shutdownMs = 15_000;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const within = (ms, what, promise) =>
  Promise.race([promise, sleep(ms).then(() => Promise.reject(new Error(`${what} took longer than ${ms / 1000} s`)))]);

const child = spawn('npm', ['start'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  // bash gives way to the command it is asked to run; Debian's sh stays, dies of the SIGINT itself, and hides the exit code.
  env: { ...process.env, PORT: '0', npm_config_script_shell: 'bash' },
  stdio: ['ignore', 'pipe', 'pipe'],
  detached: true, // its own process group, so that SIGINT reaches npm and the example as Ctrl-C would
});
const exited = once(child, 'exit');

let output = '';
const address = new Promise((resolve) => {
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk) => {
      output += chunk;
      const found = /http:\/\/localhost:[1-9]\d*/.exec(output.slice(0, output.lastIndexOf('\n') + 1));
      if (found) resolve(found[0]);
    });
  }
});

const get = async (url) => {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  return response;
};

const hasPositive = (value) =>
  typeof value === 'number'
    ? value > 0
    : value !== null && typeof value === 'object' && Object.values(value).some(hasPositive);

/** Whether anything under a key named `count` or `counts` is a number above zero. */
const showsCounts = (value) =>
  value !== null &&
  typeof value === 'object' &&
  Object.entries(value).some(([key, inner]) => (/^counts?$/i.test(key) && hasPositive(inner)) || showsCounts(inner));

async function lookAround() {
  const early = exited.then(([code, signal]) =>
    Promise.reject(new Error(`it ended early (${signal ?? `exit code ${code}`})`)),
  );
  const url = await within(startupMs, 'start-up', Promise.race([address, early]));

  const page = await get(url);
  const type = page.headers.get('content-type') ?? '';
  if (!type.includes('text/html')) throw new Error(`the page is ${type || 'of no type'}, not text/html`);
  if (!(await page.text()).includes('<')) throw new Error('the page is empty');

  const deadline = Date.now() + countsMs;
  for (;;) {
    const state = await (await get(`${url}/api/state`)).json();
    if (showsCounts(state)) break;
    if (Date.now() > deadline)
      throw new Error(`no count above 0 in /api/state: ${JSON.stringify(state).slice(0, 2_000)}`);
    await sleep(200);
  }

  process.kill(-child.pid, 'SIGINT');
  const [code, signal] = await within(shutdownMs, 'shutdown after SIGINT', exited);
  if (code !== 0) throw new Error(`it ended with ${signal ?? `exit code ${code}`} after SIGINT`);
  console.log(`${url} served the page and counts above 0, and ended with exit code 0 after SIGINT`);
}

try {
  await lookAround();
} catch (error) {
  console.log(`npm start: ${error.message}\n--- its output ---\n${output}`);
  process.exitCode = 1;
} finally {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // the whole group is gone, as it should be
  }
}
process.exit();
