/**
 * Writes and checks the figures of `docs/compare-glue.md`: they come from `report.json`, which `compare.ts`
 * wrote.
 *
 * This test writes them: `npx vitest run test/compare-glue/figures.test.ts --update=all`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { countLines } from './count-lines.ts';
import { FAULTS } from './faults.ts';
import { figureLines } from './figures.ts';
import { type Report, reportPath } from './report.ts';
import { SCENARIOS } from './scenarios.ts';

const PAGE = join(import.meta.dirname, '../../docs/compare-glue.md');
const report = JSON.parse(readFileSync(reportPath, 'utf8')) as Report; // written by compare.ts, which types it

it('the page has the figures of the last comparison', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const [start, end] = ['<!-- figures of the comparison -->\n', '\n<!-- end of figures -->'];
  const [before = '', rest = ''] = page.split(start);
  const after = rest.slice(rest.indexOf(end));
  await expect(`${before}${start}${figureLines(report)}${after}`).toMatchFileSnapshot(PAGE);
});

it('the report has each job without a fault and with four faults, on both sides', () => {
  expect(FAULTS).toHaveLength(40);
  const plays = Object.keys(SCENARIOS).flatMap((job) => [
    `${job} none`,
    ...FAULTS.filter((fault) => fault.job === Number(job)).map(({ id }) => `${job} ${id}`),
  ]);
  for (const side of ['ours', 'glue']) {
    const rows = report.plays.filter((row) => row.side === side).map((row) => `${row.job} ${row.fault}`);
    expect(rows.toSorted()).toEqual(plays.toSorted());
  }
});

it('counts the lines of a program without blank lines, comments and imports', () => {
  const source = `/** A program. */\nimport { a } from 'a';\nimport {\n  b,\n} from 'b';\n\n// Why.\na();\nb(); // twice\n`;
  expect(countLines(source)).toBe(2);
});
