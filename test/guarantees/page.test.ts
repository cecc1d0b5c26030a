/**
 * Checks docs/guarantees.md against the table, and the table against the test files.
 *
 * This test writes the file: `npx vitest run test/guarantees/page.test.ts -u`.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { testedRoutes } from './guarantee.ts';
import { guaranteePage } from './guarantee-page.ts';
import { GUARANTEES, type GuaranteeId } from './table/guarantees.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const FILES = globSync('*.test.ts', { cwd: FOLDER }).map((file) => readFileSync(`${FOLDER}${file}`, 'utf8'));
const IDS = Object.keys(GUARANTEES) as GuaranteeId[];

it('docs/guarantees.md matches the table', async () => {
  await expect(guaranteePage()).toMatchFileSnapshot(
    fileURLToPath(new URL('../../docs/guarantees.md', import.meta.url)),
  );
});

it.each(IDS.filter((id) => /^[CD]/u.test(id)))('%s has one file of tests', (id) => {
  expect(FILES.filter((file) => file.includes(`declareGuarantee('${id}'`))).toHaveLength(1);
});

it.each(IDS.filter((id) => testedRoutes(id).length > 0))(
  '%s, which has tested cells, has a file of tests',
  (id) => {
    expect(FILES.some((file) => file.includes(`declareGuarantee('${id}'`))).toBe(true);
  },
);
