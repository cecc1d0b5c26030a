/**
 * Writes and checks what `docs/` says of the server's routes and scopes.
 *
 * This test writes the table of routes: `npx vitest run test/docs/route-table.test.ts --update=all`.
 */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { TOKEN_SCOPES } from '../../packages/client/src/wire/account.ts';
import { ROUTES } from '../../packages/server/src/http/routes/all-routes.ts';
import { readPage } from './page-snippets.ts';

const PAGE = 'docs/chat-api.md';
const TABLE = /(?<=<!-- routes -->\n)[\s\S]*?(?=<!-- end of routes -->)/u;

function routeTable(): string {
  const rows = ROUTES.map(({ method, path, summary, scope = 'chats' }) => [
    `\`${method.toUpperCase()} ${path}\``,
    summary,
    scope === 'any' ? 'any' : `\`${scope}\``,
  ]);
  const lines = [['route', 'does', 'scope'], ['---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

it('docs/chat-api.md has every route', async () => {
  expect(readPage(PAGE)).toMatch(TABLE);
  const path = fileURLToPath(new URL(`../../${PAGE}`, import.meta.url));
  await expect(readPage(PAGE).replace(TABLE, routeTable)).toMatchFileSnapshot(path);
});

it('docs/server.md has a row for every scope', () => {
  const rows = [...readPage('docs/server.md').matchAll(/^\| `(\w+)`(?: \(default\))? \| `\//gmu)];
  expect(new Set(rows.map(([, scope]) => scope))).toEqual(new Set(TOKEN_SCOPES));
});
