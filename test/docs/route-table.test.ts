/**
 * Writes and checks what `docs/` says of the server's routes and scopes.
 *
 * This test writes both tables: `npx vitest run test/docs/route-table.test.ts --update=all`.
 */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { SCOPE_RIGHTS, TOKEN_SCOPES, type TokenScope } from '../../packages/core/src/kit/token-scopes.ts';
import { ROUTES } from '../../packages/server/src/http/routes/all-routes.ts';
import { readPage } from './page-snippets.ts';

const PAGE = 'docs/chat-api.md';
const TABLE = /(?<=<!-- routes -->\n)[\s\S]*?(?=<!-- end of routes -->)/u;
const SCOPES = /(?<=<!-- scopes -->\n)[\s\S]*?(?=<!-- end of scopes -->)/u;
/** Routes that are not part of the chat API. */
const OTHER_PATHS: Readonly<Partial<Record<TokenScope, string>>> = { chats: '/v1', metrics: '/metrics' };
/** Requirement of a route instead of one scope. */
const OTHER_SCOPES = new Map<string, string>([
  ['share', 'key of a link'],
  ['sign-in', 'any, or a code'],
  ['any', 'any'],
]);
const OF_API = /^\/api\/[a-z_]+/u;

function routeTable(): string {
  const rows = ROUTES.map(({ method, path, summary, scope = 'chats' }) => [
    `\`${method.toUpperCase()} ${path}\``,
    summary,
    OTHER_SCOPES.get(scope) ?? `\`${scope}\``,
  ]);
  return tableOf(['route', 'does', 'scope'], rows);
}

const folderOf = (path: string): string => OF_API.exec(path)?.[0] ?? path;

/** True if routes of the same folder have several scopes. */
function isShared(path: string): boolean {
  const scopes = ROUTES.filter((route) => folderOf(route.path) === folderOf(path)).map(({ scope }) => scope);
  return new Set(scopes).size > 1;
}

function scopeTable(): string {
  const rows = TOKEN_SCOPES.map((name) => {
    const own = ROUTES.filter(({ scope = 'chats' }) => scope === name);
    const paths = new Set(own.map(({ path }) => (isShared(path) ? path : folderOf(path))));
    const other = OTHER_PATHS[name];
    return [
      `\`${name}\``,
      SCOPE_RIGHTS[name],
      [...paths, ...(other === undefined ? [] : [other])].map((path) => `\`${path}\``).join(', '),
    ];
  });
  return tableOf(['scope', 'gives the right to', 'routes'], rows);
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

it('docs/chat-api.md has every route', async () => {
  expect(readPage(PAGE)).toMatch(TABLE);
  const path = fileURLToPath(new URL(`../../${PAGE}`, import.meta.url));
  await expect(readPage(PAGE).replace(TABLE, routeTable)).toMatchFileSnapshot(path);
});

it('docs/server.md has a row for every scope', async () => {
  const page = readPage('docs/server.md');
  expect(page).toMatch(SCOPES);
  const path = fileURLToPath(new URL('../../docs/server.md', import.meta.url));
  await expect(page.replace(SCOPES, scopeTable)).toMatchFileSnapshot(path);
});
