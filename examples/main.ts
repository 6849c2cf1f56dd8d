/** `npm run example -- NAME`: tries out the example in the folder of that name. */
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const hasMain = (name: string) => existsSync(folder(`${name}/main.ts`));
/** The word count has a command of its own, with options: `npm start`. */
const names = readdirSync(folder('.')).filter((name) => name !== 'wordcount' && hasMain(name));

const [name = ''] = process.argv.slice(2);
if (names.includes(name)) await import(`./${name}/main.js`);
else {
  console.error(`Usage: npm run example -- ${names.join('|')}`);
  process.exitCode = 1;
}
