import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { SETTING_SPECS } from '../../lib/model/settings.js';

const PAGE = new URL('../../docs/settings.md', import.meta.url);

const INTRODUCTION = `# Settings

Every setting with its Kafka name (dotted; accepted wherever settings come in as text), what it allows, and its default. An unknown
name, a wrong type or unit, a value outside its range or a bad combination is refused with STREAMS_INVALID_SETTING before
anything starts. Durations are milliseconds, or a text such as \`'250ms'\`, \`'5s'\`, \`'30m'\`, \`'2h'\`, \`'1d'\`.

This page is made from \`lib/model/settings.ts\`: change it there, then run \`UPDATE_DOCS=1 npm run test:architecture\`.

| setting | Kafka name | allowed | default | meaning |
| --- | --- | --- | --- | --- |
`;

function allowed(kind: (typeof SETTING_SPECS)[keyof typeof SETTING_SPECS]['kind']): string {
  switch (kind.type) {
    case 'integer':
    case 'duration': {
      const unit = kind.type === 'duration' ? ' ms' : '';
      return kind.max === Number.MAX_SAFE_INTEGER ? `≥ ${kind.min}${unit}` : `${kind.min} to ${kind.max}${unit}`;
    }
    case 'choice':
      return kind.of.map((choice) => `\`${choice}\``).join(', ');
    case 'handler':
      return '`fail`, `continue`, `{ deadLetterTopic }`';
    case 'offsetReset':
      return '`earliest`, `latest`, `none`, `by_duration:PnDTnHnMnS`';
    case 'text':
      return 'text';
    case 'names':
      return 'names';
    case 'members':
      return `1 to ${kind.max}, \`{ min, max }\``;
  }
}

function rendered(): string {
  const rows = Object.entries(SETTING_SPECS).map(([name, { dotted, kind, default: value, doc }]) =>
    ['', `\`${name}\``, `\`${dotted}\``, allowed(kind), `\`${JSON.stringify(value)}\``, doc, ''].join(' | ').trim(),
  );
  return `${INTRODUCTION}${rows.join('\n')}\n`;
}

it('docs/settings.md lists every setting as the code has it', async () => {
  if (process.env.UPDATE_DOCS === '1') await writeFile(PAGE, rendered());
  expect(await readFile(PAGE, 'utf8')).toBe(rendered());
});
