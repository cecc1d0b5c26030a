/**
 * Writes and checks the figures of `docs/bench.md`, `docs/beside-others.md` and `README.md`: each comes from the whole run in
 * `bench/report.json`.
 *
 * This test writes them: `npx vitest run test/docs/bench-figures.test.ts --update=all`.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Limits } from '../../bench/harness/limits.ts';
import { benchLines, besideLines, readmeLines, replaceLines, type WholeRun } from './bench-figures.ts';
import { readPage } from './page-snippets.ts';

const json = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../bench/${name}`, import.meta.url), 'utf8'));
const run = json('report.json') as WholeRun; // Written by bench.ts, which types it.
const limits = json('limits.json') as Limits; // As above.

it.each([
  ['docs/bench.md', benchLines],
  ['README.md', readmeLines],
  ['docs/beside-others.md', besideLines],
] as const)('%s has the figures of the last whole run', async (page, lines) => {
  const path = fileURLToPath(new URL(`../../${page}`, import.meta.url));
  await expect(replaceLines(readPage(page), lines(run))).toMatchFileSnapshot(path);
});

it('the bounds come from the same run', () => {
  expect(limits.measured).toEqual(run.measured);
});

it('refuses a line that the page lacks, and a figure that the run lacks', () => {
  expect(() => replaceLines('# A page\n', [['| a figure', '| a figure | 1 |']])).toThrow('| a figure');
  expect(() => benchLines({ ...run, reports: [] })).toThrow('No figure: extraction | ordinary');
});
