/** SECURITY.md: every promise names a test that exists. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = readFileSync(`${ROOT}SECURITY.md`, 'utf8');
const FILES = globSync(['packages/*/src/**/*.test.ts', 'test/**/*.ts'], {
  cwd: ROOT,
  exclude: ['**/node_modules/**'],
});

const named = [...PAGE.matchAll(/`((?:test\/[\w./-]+|[\w./-]+\.test)\.ts)`/gu)].map(
  (match) => match[1] ?? '',
);

it.each(named)('SECURITY.md names `%s`, which exists', (name) => {
  expect(FILES.filter((file) => `/${file}`.endsWith(`/${name}`))).toHaveLength(1);
});

it('every row of its table of sandboxes names a test', () => {
  const table = PAGE.slice(PAGE.indexOf('| promise |')).split('\n\n')[0] ?? '';
  const rows = table.split('\n').slice(2);
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) expect(row).toMatch(/`[\w./-]+\.ts`/u);
});
