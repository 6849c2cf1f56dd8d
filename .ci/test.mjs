// `npm test`: checks the types (test/types among them), then runs every level of test/ that needs nothing but Node. Both
// always run, so that one red result does not hide another. Arguments go to vitest: `npm test -- --project unit`.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

const steps = {
  types: [bin('typescript/bin/tsc'), '--noEmit'],
  tests: [bin('vitest/vitest.mjs'), 'run', '--config', '.config/vitest.config.ts', ...process.argv.slice(2)],
};

rmSync(`${root}/.results/vitest.json`, { force: true });
const failed = Object.entries(steps).flatMap(([name, args]) => {
  const { status, signal, error } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  console.log(`${name}: ${status === 0 ? 'passed' : `failed (${error?.message ?? signal ?? `exit code ${status}`})`}`);
  return status === 0 ? [] : [name];
});
process.exitCode = failed.length === 0 ? 0 : 1;
