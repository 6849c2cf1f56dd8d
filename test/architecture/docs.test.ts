/** What the documents promise exists: the files they link to, and the error codes they list. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../lib/model/errors.js';
import { SIMULATION_FAULTS } from '../../lib/testing/index.js';
import { faultKind } from '../../lib/testing/simulation/faults/fault-kinds.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Names of the broker's errors: Kafka has a few that begin as ours do. */
const KAFKAS_OWN = join('lib', 'log', 'kafka', 'protocol', 'error-codes.ts');
const codePattern = /\bSTREAMS_[A-Z0-9]+(?:_[A-Z0-9]+)*\b/g;

async function filesBelow(folder: string, ending: string): Promise<string[]> {
  if (!existsSync(join(root, folder))) return [];
  const names = await readdir(join(root, folder), { recursive: true });
  return names.filter((name) => name.endsWith(ending)).map((name) => join(folder, name));
}

const read = (file: string): Promise<string> => readFile(join(root, file), 'utf8');

/** The targets of `[text](target)` and `[text]: target`, outside code, without those that lead to other sites. */
function relativeLinks(markdown: string): string[] {
  const prose = markdown.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
  const found = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)/g), ...prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)];
  return found.map(([, target]) => target ?? '').filter((target) => !/^([a-z][a-z0-9+.-]*:|#)/i.test(target));
}

function leadsNowhere(file: string, link: string): boolean {
  const target = resolve(root, dirname(file), decodeURIComponent(link.replace(/[#?].*$/, '')));
  return relative(root, target).startsWith('..') || !existsSync(target);
}

describe('the documents', () => {
  it('link only to files that exist in this repository', async () => {
    const folders = ['lib', 'docs', 'examples', 'bench', 'test', 'infra'];
    const files = ['README.md', ...(await Promise.all(folders.map((folder) => filesBelow(folder, '.md')))).flat()];

    const links = await Promise.all(
      files.map(async (file) => relativeLinks(await read(file)).map((link) => ({ file, link }))),
    );

    const broken = links.flat().filter(({ file, link }) => leadsNowhere(file, link));
    expect(broken.map(({ file, link }) => `${file} → ${link}`)).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['README.md', 'lib/README.md']));
    expect(links.flat().length).toBeGreaterThan(0);
  });
});

describe('the kinds of faults in docs/testing.md', () => {
  it('are those of the option `faults`, in the words of the kinds themselves', async () => {
    const text = await read('docs/testing.md');
    const table = text.slice(text.indexOf('| fault | |'));

    const rows = [...table.slice(0, table.indexOf('\n\n')).matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm)];

    expect(rows.map(([, kind, about]) => [kind, about])).toEqual(
      SIMULATION_FAULTS.map((kind) => [kind, faultKind(kind).about]),
    );
  });
});

describe('the properties of docs/testing.md', () => {
  it('are the files of test/property, each named once', async () => {
    const [, section = ''] = (await read('docs/testing.md')).split('## Properties');
    const [table = ''] = section.split('\n## ');
    const named = [...table.matchAll(/`([a-z]+\/[\w.-]+)`/g)].map(([, file = '']) => file);

    const files = (await filesBelow('test/property', '.ts')).map((file) => relative('test/property', file));

    expect(named.sort()).toEqual(files.map((file) => file.replace(/(\.test)?\.ts$/, '')).sort());
  });
});

describe('the traps of docs/testing.md', () => {
  const numbersIn = (text: string) => text.split(',').map(Number);

  it('are those that tests name, each in the files that it lists', async () => {
    const rows = [...(await read('docs/testing.md')).matchAll(/^\| ([\d, ]+) \| .* \| (.*) \|$/gm)];
    const listed = rows.flatMap(([, numbers = '', shown = '']) => {
      const files = [...shown.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file = '']) => file);
      return numbersIn(numbers).flatMap((trap) => files.map((file) => `${trap} ${file}`));
    });
    const folders = { 'lib/testing/conformance/log': 'conformance', test: '' };
    const named = await Promise.all(
      Object.entries(folders).map(async ([folder, shortName]) => {
        const all = await filesBelow(folder, '.ts');
        const files = all.filter((file) => !file.includes('/mutants/')); // say which traps open without a protection
        const found = files.map(async (file) => {
          const traps = [...(await read(file)).matchAll(/\(traps? ([\d, ]+)\)'/g)].flatMap(([, of = '']) =>
            numbersIn(of),
          );
          return traps.map((trap) => `${trap} ${join(shortName, relative(folder, file))}`);
        });
        return (await Promise.all(found)).flat();
      }),
    );

    const namesNoTrap = ['nasty-topics', 'parity/topology', '34 unit/scheduler/run-tick']; // a part of the file, as the row says
    const wanted = listed.filter((entry) => !namesNoTrap.some((part) => entry.includes(part)));
    expect([...new Set(named.flat())].sort()).toEqual([...new Set(wanted)].sort());
    expect(wanted.length).toBeGreaterThan(0);
  });
});

describe('the error codes', () => {
  it('are listed in docs/errors.md, all of them and no others', async () => {
    const documented = new Set((await read('docs/errors.md')).match(codePattern));

    expect([...documented].sort()).toEqual([...ERROR_CODES].sort());
  });

  it('are used in lib only as ERROR_CODES declares them, and each once there', async () => {
    const known = new Set<string>(ERROR_CODES);
    const files = (await filesBelow('lib', '.ts')).filter((file) => file !== KAFKAS_OWN);

    const used = await Promise.all(
      files.map(async (file) => ((await read(file)).match(codePattern) ?? []).map((code) => ({ file, code }))),
    );

    const unknown = used.flat().filter(({ code }) => !known.has(code));
    expect(unknown.map(({ file, code }) => `${file}: ${code}`)).toEqual([]);
    expect(known.size).toBe(ERROR_CODES.length);
    expect(known.size).toBeGreaterThan(0);
  });

  it('each belong to a class that something in lib throws', async () => {
    const declaring = join('lib', 'model', 'errors.ts');
    const classes = new Map(
      [...(await read(declaring)).matchAll(/class (\w+) extends errorClass\('(\w+)'\)/g)].map(([, name, code]) => [
        code,
        name,
      ]),
    );
    const others = (await filesBelow('lib', '.ts')).filter((file) => file !== declaring);
    const text = (await Promise.all(others.map(read))).join('\n');

    const unused = ERROR_CODES.filter((code) => !new RegExp(`new ${classes.get(code)}\\(`).test(text));

    expect(unused).toEqual([]);
  });
});
