/**
 * Checks the tables of options, results and events against the types.
 *
 * This test writes the tables: `npx vitest run test/docs/member-tables.test.ts -u`.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { undescribedMembers, withMemberTables } from './member-table.ts';
import { readPage, userPages } from './page-snippets.ts';

const PAGES = userPages().filter((page) => readPage(page).includes('<!-- members of '));

describe.each(PAGES)('%s', (page) => {
  it('has the members of the types', async () => {
    const path = fileURLToPath(new URL(`../../${page}`, import.meta.url));
    await expect(withMemberTables(readPage(page))).toMatchFileSnapshot(path);
  });

  it('describes every member', () => {
    expect(undescribedMembers(readPage(page))).toEqual([]);
  });
});

it('writes type, default and description from a docstring', () => {
  const page = withMemberTables(
    '<!-- members of Timeouts without copyToWorktreeMs -->\n<!-- end of members -->',
  );
  expect(page.split('\n')[3]).toBe(
    '| `gitSetupMs` | `number` | `60000` | Each git command that opens or closes a worktree. |',
  );
});
