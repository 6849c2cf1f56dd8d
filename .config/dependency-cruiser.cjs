/**
 * Which way the imports point. A folder of lib/ may import the folders named in its row of `may`, itself, and nothing
 * else; the reasons are in lib/README.md. The folders missing from the table (lambda, local, testing, cli) are the doors:
 * they choose adapters and may import anything.
 *
 * `tsPreCompilationDeps` makes type-only imports count. test/architecture/directions.test.ts runs these rules, plants a
 * break of each, and asserts how many modules were read: with a compiler this tool cannot drive it reads none and is content.
 */
const words = ['model', 'serde'];
const ports = ['log', 'leases', 'snapshots', 'invoke', 'host'];
const program = [...words, 'state', 'processor', 'topology'];

const may = {
  model: [],
  serde: ['model'],
  state: words,
  processor: [...words, 'state'],
  topology: [...words, 'state', 'processor'],
  dsl: program,
  task: program,
  assignment: ['model'],
  host: ['model'],
  log: ['model', 'host'],
  leases: ['model', 'host'],
  snapshots: ['model', 'host'],
  invoke: ['model', 'host'],
  runtime: [...words, 'state', 'topology', 'task', ...ports],
  scheduler: [...words, 'topology', 'assignment', ...ports],
  query: [...words, 'state', 'topology', 'runtime', ...ports],
};

const inner = `^lib/(${Object.keys(may).join('|')})/`;
const adapter = `^lib/(${ports.join('|')})/[^/]+/`;
const outside = ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown', 'unknown'];
const assert = '^(node:)?assert(/strict)?$';
const schemaTypes = '(^|/)@standard-schema/spec(/|$)';

const rule = (name, from, to) => ({ name, severity: 'error', from, to });

module.exports = {
  forbidden: [
    ...Object.entries(may).map(([folder, others]) =>
      rule(
        `${folder}-imports-inward-only`,
        { path: `^lib/${folder}/` },
        { path: '^lib/', pathNot: `^lib/(${[folder, ...others].join('|')})/` },
      ),
    ),
    rule('adapters-are-chosen-at-the-doors', { path: inner, pathNot: adapter }, { path: adapter }),
    rule(
      'adapters-do-not-know-each-other',
      { path: `^lib/(${ports.join('|')})/([^/]+)/` },
      { path: adapter, pathNot: '^lib/$1/$2/' },
    ),
    rule(
      'io-only-in-adapters-and-doors',
      { path: inner, pathNot: `${adapter}|^lib/serde/` },
      { dependencyTypes: outside, pathNot: assert },
    ),
    // serde may speak Standard Schema, whose package is types and nothing else. Compression and digests reach the inside
    // through the ports of lib/host.
    rule(
      'serde-takes-only-schema-types-from-outside',
      { path: '^lib/serde/' },
      { dependencyTypes: outside, pathNot: `${assert}|${schemaTypes}` },
    ),
    rule('schema-types-are-types', { path: '^lib/serde/' }, { path: schemaTypes, dependencyTypesNot: ['type-only'] }),
    rule('functions-are-thin', { path: '^functions/' }, { path: '^lib/', pathNot: '^lib/(lambda/|index)' }),
    rule('lib-knows-no-consumer', { path: '^lib/' }, { path: '^(functions|test|bench|examples|infra)/' }),
    // An operator's topology replaces what is in functions/app.ts; nothing else of the clone may depend on it.
    rule('the-application-is-an-operators', { pathNot: '^functions/' }, { path: '^functions/app\\.ts$' }),
    rule('imports-resolve', {}, { couldNotResolve: true }),
    rule('no-circular', {}, { circular: true }),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
