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

it('every promise of its lists names a test or a script', () => {
  const scripts = (JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { scripts: object }).scripts;
  const parts = PAGE.split('\n## ').filter((part) => /^Promises of (?:every run|schemas)/u.test(part));
  const bullets = parts.flatMap((part) => part.split('\n- ').slice(1));
  expect(bullets.length).toBeGreaterThan(15);
  for (const bullet of bullets) {
    expect(bullet).toMatch(/`[\w./-]+\.ts`|`npm run [\w:]+`/u);
    for (const [, name = ''] of bullet.matchAll(/`npm run ([\w:]+)`/gu)) expect(scripts).toHaveProperty(name);
  }
});

it('every row of its table of sandboxes names a test', () => {
  const table = PAGE.slice(PAGE.indexOf('| promise |')).split('\n\n')[0] ?? '';
  const rows = table.split('\n').slice(2);
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) expect(row).toMatch(/`[\w./-]+\.ts`/u);
});

it('it names the test of each guarantee about confinement, and links to all guarantees', () => {
  const tests = globSync('test/guarantees/c[0-9]-*.test.ts', { cwd: ROOT });
  expect(tests.length).toBeGreaterThan(5);
  expect(tests.filter((file) => !PAGE.includes(`\`${file}\``))).toEqual([]);
  expect(PAGE).toContain('](docs/guarantees.md)');
});
