/** What an operator hears of a mistake in functions/app.ts before it is deployed. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleFunctions } from '../../infra/bundle.js';
import { checkBundles } from '../../infra/check-bundles.js';

const library = fileURLToPath(new URL('../../lib/index.ts', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundles-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Bundles the functions around an application of this text, and loads them. */
async function check(name: string, text: string): Promise<void> {
  const app = join(folder, `${name}.ts`);
  await writeFile(app, `import { defineApp, StreamsBuilder, string } from ${JSON.stringify(library)};\n${text}`);
  await checkBundles(await bundleFunctions(join(folder, name), { app }));
}

const orders = `
  const builder = new StreamsBuilder();
  builder.stream('orders', { key: string(), value: string() }).groupByKey().count({ store: 'orders-per-customer' });
  export default defineApp({ applicationId: 'orders', topology: builder.build() });`;

describe('the bundles of an application', () => {
  it('load with a topology and a store of its own', async () => {
    await check('right', `${orders}\nexport const queryStores = ['orders-per-customer'];`);
  });

  it('are refused for a store that the topology does not have, in the query function alone, naming those it has', async () => {
    const refused = check('wrong-store', `${orders}\nexport const queryStores = ['counts'];`);

    await expect(refused).rejects.toThrow(/^functions\/query\.ts does not load:\s+STREAMS_INVALID_SETTING\s/);
    await expect(refused).rejects.toThrow("'counts' is no store of the topology");
    await expect(refused).rejects.toThrow("It has 'orders-per-customer'");
    await expect(refused).rejects.not.toThrow('functions/task.ts');
  });

  it('are refused for a topology that throws, with its own words', async () => {
    const text = `${orders}\nexport const queryStores = [];\n`;

    await expect(check('throws', `${text}throw new Error('no rates at hand');`)).rejects.toThrow(
      /functions\/scheduler\.ts does not load:\s+no rates at hand\nfunctions\/task\.ts/,
    );
  });

  it('are refused where one exports no handler', async () => {
    await writeFile(join(folder, 'bare.mjs'), 'export const handle = () => undefined;');

    await expect(checkBundles([{ name: 'task', file: join(folder, 'bare.mjs') }])).rejects.toThrow(
      'it exports no function named `handler`',
    );
  });

  it('load though they have opened something that never ends', async () => {
    await writeFile(join(folder, 'open.mjs'), 'setInterval(() => undefined, 1e3); export const handler = () => 1;');

    await checkBundles([{ name: 'task', file: join(folder, 'open.mjs') }]);
  });
});
