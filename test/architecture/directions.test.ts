/**
 * The directions of imports (.config/dependency-cruiser.cjs) hold in this repository, and each of its rules bites.
 *
 * A checker that reads nothing finds nothing, so the first part also proves that every file of lib/ was read, and the second
 * runs the same rules over a small tree in which each rule is broken once.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const rulesFile = join(root, '.config/dependency-cruiser.cjs');
const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

/** Far below what lib/ holds; a reader that went blind would fall under it. */
const fewestModulesOfLib = 40;

interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
  readonly to: string;
}

interface Cruise {
  readonly modules: ReadonlyArray<{ readonly source: string }>;
  readonly summary: { readonly violations: readonly Violation[] };
}

async function cruise(cwd: string, folders: readonly string[]): Promise<Cruise> {
  const args = [cruiser, '--config', rulesFile, '--output-type', 'json', ...folders];
  const json = await new Promise<string>((resolve, reject) => {
    // With JSON as output the exit code is 0 whether or not rules are broken.
    execFile(process.execPath, args, { cwd, maxBuffer: 256 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`dependency-cruiser did not run: ${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
  return JSON.parse(json) as Cruise;
}

const sentences = (violations: readonly Violation[]): string[] =>
  violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);

describe('the directions of imports in this repository', () => {
  let result: Cruise;
  beforeAll(async () => {
    result = await cruise(root, ['lib', 'functions', 'infra', 'test', 'examples', 'bench']);
  });

  it('break no rule', () => {
    expect(sentences(result.summary.violations)).toEqual([]);
  });

  it('were checked in every TypeScript file of lib', async () => {
    const files = (await readdir(join(root, 'lib'), { recursive: true }))
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join('lib', file))
      .sort();

    const read = result.modules.map(({ source }) => source).filter((source) => /^lib\/.*\.ts$/.test(source));

    expect(read.sort()).toEqual(files);
    expect(read.length).toBeGreaterThanOrEqual(fewestModulesOfLib);
  });
});

/** Imports that are allowed: file → the statements it holds. */
const allowed: Record<string, readonly string[]> = {
  'lib/model/offset.ts': [],
  'lib/host/clock.ts': ["import '../model/offset.js'"],
  'lib/host/node/node-clock.ts': ["import 'node:perf_hooks'", "import '../clock.js'"],
  'lib/serde/json.ts': [
    "import '../model/offset.js'",
    "import type { StandardSchemaV1 } from '@standard-schema/spec'",
    'export type Schema = StandardSchemaV1',
  ],
  'lib/state/store.ts': ["import '../serde/json.js'", "import 'node:assert'"],
  'lib/processor/processor.ts': ["import '../state/store.js'"],
  'lib/topology/graph.ts': ["import '../processor/processor.js'"],
  'lib/dsl/stream.ts': ["import '../topology/graph.js'"],
  'lib/task/task.ts': ["import '../topology/graph.js'", "import '../state/store.js'"],
  'lib/assignment/assignor.ts': ["import '../model/offset.js'"],
  'lib/log/log.ts': ["import '../host/clock.js'"],
  'lib/log/kafka/kafka-log.ts': ["import 'some-client'", "import '../log.js'", "import './wire.js'"],
  'lib/log/kafka/wire.ts': ["import 'node:net'"],
  'lib/log/memory/memory-log.ts': ["import '../log.js'"],
  'lib/leases/lease.ts': [],
  'lib/snapshots/manifest.ts': [],
  'lib/invoke/invoker.ts': [],
  'lib/runtime/run-task.ts': [
    "import '../task/task.js'",
    "import '../log/log.js'",
    "import '../snapshots/manifest.js'",
  ],
  'lib/scheduler/decide.ts': ["import '../assignment/assignor.js'", "import '../leases/lease.js'"],
  'lib/query/serve.ts': ["import '../runtime/run-task.js'", "import '../state/store.js'"],
  'lib/lambda/index.ts': ["import '../log/kafka/kafka-log.js'", "import '../runtime/run-task.js'", "import 'node:fs'"],
  'lib/local/index.ts': ["import '../log/memory/memory-log.js'", "import '../scheduler/decide.js'"],
  'lib/index.ts': ["import './dsl/stream.js'"],
  'functions/task.ts': ["import '../lib/lambda/index.js'", "import '../lib/index.js'", "import './app.js'"],
  'functions/app.ts': ["import '../lib/index.js'"],
};

interface Break {
  readonly rule: string;
  readonly file: string;
  readonly imports: string;
  /** The statement, where it is not a plain import. */
  readonly statement?: string;
}

const breaks: readonly Break[] = [
  { rule: 'model-imports-inward-only', file: 'lib/model/broken.ts', imports: '../serde/json.js' },
  { rule: 'serde-imports-inward-only', file: 'lib/serde/broken.ts', imports: '../state/store.js' },
  { rule: 'state-imports-inward-only', file: 'lib/state/broken.ts', imports: '../processor/processor.js' },
  { rule: 'processor-imports-inward-only', file: 'lib/processor/broken.ts', imports: '../topology/graph.js' },
  { rule: 'topology-imports-inward-only', file: 'lib/topology/broken.ts', imports: '../dsl/stream.js' },
  { rule: 'dsl-imports-inward-only', file: 'lib/dsl/broken.ts', imports: '../task/task.js' },
  { rule: 'task-imports-inward-only', file: 'lib/task/broken.ts', imports: '../log/log.js' },
  { rule: 'assignment-imports-inward-only', file: 'lib/assignment/broken.ts', imports: '../leases/lease.js' },
  { rule: 'host-imports-inward-only', file: 'lib/host/broken.ts', imports: '../serde/json.js' },
  { rule: 'log-imports-inward-only', file: 'lib/log/broken.ts', imports: '../leases/lease.js' },
  { rule: 'leases-imports-inward-only', file: 'lib/leases/broken.ts', imports: '../log/log.js' },
  { rule: 'snapshots-imports-inward-only', file: 'lib/snapshots/broken.ts', imports: '../state/store.js' },
  { rule: 'invoke-imports-inward-only', file: 'lib/invoke/broken.ts', imports: '../scheduler/decide.js' },
  { rule: 'runtime-imports-inward-only', file: 'lib/runtime/broken.ts', imports: '../scheduler/decide.js' },
  { rule: 'scheduler-imports-inward-only', file: 'lib/scheduler/broken.ts', imports: '../runtime/run-task.js' },
  { rule: 'query-imports-inward-only', file: 'lib/query/broken.ts', imports: '../assignment/assignor.js' },
  { rule: 'task-imports-inward-only', file: 'lib/task/public.ts', imports: '../index.js' },
  {
    rule: 'model-imports-inward-only',
    file: 'lib/model/type-only.ts',
    imports: '../log/log.js',
    statement: "export type Log = typeof import('../log/log.js')",
  },
  { rule: 'adapters-are-chosen-at-the-doors', file: 'lib/runtime/chooser.ts', imports: '../log/kafka/kafka-log.js' },
  { rule: 'adapters-are-chosen-at-the-doors', file: 'lib/log/default.ts', imports: './memory/memory-log.js' },
  { rule: 'adapters-do-not-know-each-other', file: 'lib/log/memory/broken.ts', imports: '../kafka/wire.js' },
  { rule: 'adapters-do-not-know-each-other', file: 'lib/log/kafka/clock.ts', imports: '../../host/node/node-clock.js' },
  { rule: 'io-only-in-adapters-and-doors', file: 'lib/snapshots/compressed.ts', imports: 'node:zlib' },
  { rule: 'io-only-in-adapters-and-doors', file: 'lib/runtime/client.ts', imports: 'some-client' },
  { rule: 'io-only-in-adapters-and-doors', file: 'lib/state/schema.ts', imports: '@standard-schema/spec' },
  { rule: 'serde-takes-only-schema-types-from-outside', file: 'lib/serde/hashed.ts', imports: 'node:crypto' },
  { rule: 'schema-types-are-types', file: 'lib/serde/loaded.ts', imports: '@standard-schema/spec' },
  { rule: 'functions-are-thin', file: 'functions/broken.ts', imports: '../lib/runtime/run-task.js' },
  { rule: 'lib-knows-no-consumer', file: 'lib/lambda/app.ts', imports: '../../functions/app.js' },
  { rule: 'the-application-is-an-operators', file: 'examples/broken.ts', imports: '../functions/app.js' },
  { rule: 'imports-resolve', file: 'lib/lambda/missing.ts', imports: './nowhere.js' },
  { rule: 'no-circular', file: 'lib/local/one.ts', imports: './two.js' },
];

const surroundings: Record<string, string> = {
  'package.json': '{"type":"module","dependencies":{"some-client":"1.0.0","@standard-schema/spec":"1.0.0"}}',
  'tsconfig.json': '{"compilerOptions":{"module":"NodeNext","target":"ES2023"}}',
  'node_modules/some-client/package.json': '{"name":"some-client","version":"1.0.0","main":"index.js"}',
  'node_modules/some-client/index.js': '',
  'node_modules/@standard-schema/spec/package.json':
    '{"name":"@standard-schema/spec","version":"1.0.0","main":"index.js"}',
  'node_modules/@standard-schema/spec/index.js': '',
  'lib/local/two.ts': "import './one.js';\n",
};

describe('the rules about directions', () => {
  let folder: string;
  let violations: readonly Violation[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'directions-'));
    const put = async (file: string, text: string): Promise<void> => {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    };

    for (const [file, text] of Object.entries(surroundings)) await put(file, text);
    for (const [file, statements] of Object.entries(allowed))
      await put(file, `${statements.join(';\n')};\nexport {};\n`);
    for (const { file, imports, statement } of breaks)
      await put(file, `${statement ?? `import '${imports}'`};\nexport {};\n`);

    violations = (await cruise(folder, ['lib', 'functions', 'examples'])).summary.violations;
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('let the intended imports be', () => {
    expect(sentences(violations.filter(({ from }) => from in allowed))).toEqual([]);
  });

  it.each(breaks)('$rule refuses $imports in $file', ({ rule, file }) => {
    const caught = violations.filter(({ from }) => from === file).map((violation) => violation.rule.name);

    expect(caught).toContain(rule);
  });

  it('are all broken here at least once', async () => {
    const { default: config } = (await import(rulesFile)) as {
      default: { forbidden: ReadonlyArray<{ name: string }> };
    };
    const broken = new Set(breaks.map(({ rule }) => rule));

    expect(config.forbidden.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([]);
  });
});
