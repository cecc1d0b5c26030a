/**
 * Own name: nothing that a reader copies fetches a package of our names from npm. They are not ours
 * there, so anyone could answer.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const READ = [
  '*.md',
  'docs/*.md',
  'docs/{operations,contributing}/**/*.md',
  'examples/**/*.{md,ts,tsx}',
  'packages/*/*.md',
  'packages/*/src/**/*.ts',
  'packages/truecast/templates/**/*',
  'site/{samples,src}/**/*.{ts,astro}',
  'web/src/**/*.{ts,tsx}',
];
/** `npx --no` starts only what is installed. */
const FETCHES = [
  /\bnpx (?!--no )(?:-\S+ )*truecast\b/u,
  /\b(?:npm (?:exec|install|i)|pnpm (?:add|dlx)|yarn (?:add|dlx)|bun add|bunx|npm create)\b[^`'\n]* @?truecast(?:\/[a-z]+)?(?=[\s'`@]|$)/u,
];

/** Lines that say how to fetch our packages by name. */
function fetchingLines(text: string): readonly string[] {
  return text.split('\n').filter((line) => FETCHES.some((pattern) => pattern.test(line)));
}

it.each([
  'npx truecast run',
  'npx --yes truecast run',
  'npm install truecast zod',
  'npm i zod @truecast/server',
  'pnpm add @truecast/client',
])('`%s` counts as one', (line) => {
  expect(fetchingLines(line)).toEqual([line]);
});

it.each([
  'npx --no truecast run',
  'npm install CLONE/tarballs/truecast-core.tgz zod',
  'npm run -s truecast --',
])('`%s` does not', (line) => {
  expect(fetchingLines(line)).toEqual([]);
});

it('no page, printed line, template or panel has one', () => {
  const files = globSync(READ, { cwd: ROOT, exclude: ['**/node_modules/**'] });
  expect(files.length).toBeGreaterThan(1_000);
  const found = files
    .filter((file) => /\.\w+$/u.test(file))
    .flatMap((file) =>
      fetchingLines(readFileSync(`${ROOT}${file}`, 'utf8')).map((line) => `${file}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});
