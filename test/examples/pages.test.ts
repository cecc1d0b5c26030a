/** Checks the page of each example: it fits a screen, says what it costs, and its links lead to a file. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));
const INDEX = readFileSync(join(EXAMPLES, 'README.md'), 'utf8');
const SCREEN_LINES = 40;

const folders = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

function linksOf(page: string): readonly string[] {
  return [...page.matchAll(/\]\((?<target>[^)\s#]+)/gu)].map(({ groups }) => groups?.['target'] ?? '');
}

it.each(folders)('%s has a page of one screen', (name) => {
  const page = readFileSync(join(EXAMPLES, name, 'README.md'), 'utf8');
  expect(page.split('\n').length).toBeLessThanOrEqual(SCREEN_LINES);
  // These programs are Sandcastle's own: its page says what differs.
  if (name !== 'migration') expect(page).toMatch(/^# .+\n[\s\S]+\n## Run it\n[\s\S]+\n## What it costs\n/u);
  expect(linksOf(page).filter((target) => !existsSync(join(EXAMPLES, name, target)))).toEqual([]);
  expect(INDEX).toContain(`](${name}/`);
});

it('the index leads to files', () => {
  expect(linksOf(INDEX).filter((target) => !existsSync(join(EXAMPLES, target)))).toEqual([]);
});
