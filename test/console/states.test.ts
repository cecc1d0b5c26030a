/** Tests of the console's states in Chromium: lost connection, long lists, filters, errors. */
import { expect, it } from 'vitest';
import { openStore } from '../../packages/store/src/open-store.ts';
import { goTo, signIn, violationsOf, watchPage } from './console-fixture.ts';
import { packedConsole } from './packed-console.ts';

const CHATS = 220;
const DAY_MS = 86_400_000;
const DISTANCE_TO_END = 'document.documentElement.scrollHeight - innerHeight - scrollY';

const suite = packedConsole();

it('has the same words for a schema that no request used', async () => {
  const { server, browser } = suite;
  const { page } = await watchPage(browser, server);
  await signIn(page, server, 'schemas/none');
  expect(await page.getByRole('alert').innerText()).toContain(
    'No request of yours used a schema with this hash.',
  );
});

it('shows names in a problem as code, and no markup', async () => {
  const { server, browser } = suite;
  const { page } = await watchPage(browser, server);
  const json = {
    code: 'invalid_request',
    status: 400,
    title: 'Bad Request',
    detail: 'Remove `<b>limit</b>`.',
  };
  await page.route(/\/api\/chats\?/u, (route) => route.fulfill({ status: 400, json }));
  await signIn(page, server, 'chats');
  const problem = page.getByRole('alert');
  expect(await problem.locator('code').innerText()).toBe('<b>limit</b>');
  expect(await problem.innerText()).not.toContain('`');
});

it('says that the connection is lost, keeps the page, and goes on after a reconnect', async () => {
  const { server, browser } = suite;
  const { page } = await watchPage(browser, server, { viewport: { width: 1440, height: 900 } });
  await signIn(page, server);
  await page.click('button[type=submit]');
  await page.waitForSelector('[data-state=valid]');
  await page.context().setOffline(true);
  await page.fill('#follow-up', 'Are you there?');
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.getByText('Connection lost.').waitFor();
  expect(await page.getByText(/^as of \d\d:\d\d:\d\d$/u).isVisible()).toBe(true);
  expect(await page.locator('[data-state=valid]').isVisible()).toBe(true);
  expect(await page.inputValue('#follow-up')).toBe('Are you there?');
  // The client gave up. Otherwise, it could send the question after the reconnect, and the chat would have another answer.
  await expect
    .poll(() => page.getByRole('button', { name: 'Ask' }).isEnabled(), { timeout: 60_000 })
    .toBe(true);
  // The strip takes no room from the question.
  expect(await page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBeLessThan(1);
  expect(await violationsOf(page)).toEqual([]);
  // A page whose file was never loaded: the browser can have it of another test.
  await page.route(/\/assets\/quality-page-/u, (route) => route.abort());
  await page.getByRole('link', { name: 'Quality' }).first().click();
  await page.getByText('This page could not be loaded.').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.unrouteAll();
  await page.context().setOffline(false);
  await page.getByText('Connection lost.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Load the page again' }).click();
  await page.getByText('First try over time').waitFor();
});

it('keeps few rows of a long list in the document, and names the filter that excludes all', async () => {
  await createChats();
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server);
  await page.getByRole('link', { name: 'Chats', exact: true }).first().click();
  const more = page.getByRole('button', { name: 'Show older chats' });
  await more.click();
  await more.click();
  await page.locator('li[aria-setsize]').first().waitFor();
  expect(Number(await page.locator('li').first().getAttribute('aria-setsize'))).toBeGreaterThanOrEqual(CHATS);
  expect(await page.locator('ol li').count()).toBeLessThan(100);
  // The rows near the end are measured when they are first shown, which moves the end.
  await page.keyboard.press('End');
  await page.getByRole('link', { name: 'Question 0 ' }).first().waitFor();
  await expect.poll(() => page.evaluate(DISTANCE_TO_END)).toBeLessThan(1);
  expect(await violationsOf(page)).toEqual([]);
  const field = page.getByRole('searchbox', { name: 'Filter by title' });
  await field.fill('Question 17 ');
  await page.waitForURL(/\?q=Question(?:\+|%20)17$/u);
  await expect.poll(() => page.locator('ol li').count()).toBeLessThan(20);
  await field.fill('no such title');
  await page.getByText('No title of a chat contains “no such title”.').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.locator('ol li').first().waitFor();
  expect(new URL(page.url()).search).toBe('');
  // The value of an old chat is in its row, whatever number of newer requests there are.
  const reads: string[] = [];
  page.on('request', (request) => reads.push(new URL(request.url()).pathname));
  await goTo(page, 'chats?q=Which+file');
  await page.getByRole('link', { name: /Which file[^]*file: "src\/loop.ts", line: 42/u }).waitFor();
  expect(reads).not.toContain('/api/requests');
  expect(faults).toEqual([]);
});

it('lists receipts with the beginning of their values, and counts which fields failed', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server);
  const recent = page.getByRole('region', { name: 'Recent' });
  const asked = recent.getByRole('link', { name: /Which file has the bug/u }).first();
  await asked.waitFor();
  expect(await asked.innerText()).toMatch(
    /valid\s+Which file has the bug, and where\?\s+file: "src\/loop.ts"/u,
  );
  await page.getByRole('link', { name: 'Receipts', exact: true }).first().click();
  const rows = page.getByRole('list', { name: 'Receipts' }).getByRole('link');
  const row = rows.first();
  await row.waitFor();
  expect(await rows.filter({ hasText: 'Which file' }).first().innerText()).toMatch(
    /valid\s+Which .*\s+file: "src\/loop.ts", line: 42[^]*bug[^]*2\s+attempts/u,
  );
  expect(await violationsOf(page)).toEqual([]);
  const search = page.getByRole('searchbox', { name: 'Filter by schema or title of the chat' });
  await search.fill('no such name');
  await page.getByText('No receipt matches these filters.').waitFor();
  await search.fill('bug');
  await row.waitFor();
  await search.fill('');
  await page.waitForURL((url) => url.search === '');
  await page.getByRole('combobox', { name: 'State' }).selectOption('Failed');
  await page.getByText('No receipt matches these filters.').waitFor();
  expect(new URL(page.url()).search).toBe('?status=failed');
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await page.getByRole('link', { name: 'Quality', exact: true }).first().click();
  const fields = page.getByRole('group', { name: 'Table of fields' });
  expect(await fields.innerText()).toMatch(/bug \/line\s+Expected integer\s+few, \d of \d/u);
  await page.getByRole('img', { name: /^First-try rate from / }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await fields.getByRole('link', { name: 'bug' }).click();
  await row.click();
  await page.getByRole('heading', { name: 'Receipt of bug' }).waitFor();
  const losses = page.getByRole('region', { name: 'Provider compatibility' });
  await losses.getByText('model of this receipt').waitFor();
  expect(await losses.getByRole('listitem').first().innerText()).toMatch(
    /^other servers\s+model of this receipt/u,
  );
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('link', { name: /^[\da-f]{64}$/u }).click();
  await page.getByRole('heading', { name: 'Schema bug' }).waitFor();
  expect(await page.getByRole('region', { name: 'Failing fields' }).innerText()).toContain('/line');
  await page.getByRole('region', { name: 'Latest receipts' }).getByRole('link').nth(1).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  const schemaPath = new URL(page.url()).pathname.slice(1);
  await page.getByRole('button', { name: 'Ask with it' }).click();
  expect(await page.inputValue('#answer-name')).toBe('bug');
  expect(faults).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const path of ['requests', 'quality', schemaPath]) {
    await goTo(page, path);
    await page
      .getByRole('list', { name: 'Receipts' })
      .or(page.getByText('First try over time'))
      .first()
      .waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  }
  await goTo(page, 'quality');
  // Two columns. The row opens the rest.
  const narrow = page.getByRole('list', { name: 'Failing fields' }).getByRole('listitem').first();
  expect(await narrow.innerText()).toMatch(/bug \/line\s+few, \d of \d$/u);
  await narrow.locator('summary').click();
  await narrow.getByText('Expected integer').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  await narrow.getByRole('link', { name: 'Open its receipts' }).click();
  await row.waitFor();
});

it('shows a chat of another program and its title without a reload, and reads the list once for each', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  const lists: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/chats?')) lists.push(request.url());
  });
  const opened = page.waitForResponse((response) => response.url().endsWith('/api/stream'));
  await signIn(page, server);
  await opened;
  await page.getByRole('link', { name: 'Chats', exact: true }).first().click();
  const rows = page.getByRole('main').getByRole('listitem');
  await rows.first().waitFor();
  const headers = {
    authorization: `Bearer ${server.token}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify({ content: 'Hi', title: 'Of another program' });
  const made = await fetch(`${server.url}/api/chats`, { method: 'POST', headers, body });
  const id = /"chat":\{"id":"([\w-]+)"/u.exec(await made.text())?.[1] ?? '';
  await rows.filter({ hasText: /Of another program[^]*idle/u }).waitFor();
  const before = lists.length;
  const changed = JSON.stringify({ title: 'Another title' });
  await fetch(`${server.url}/api/chats/${id}`, { method: 'PATCH', headers, body: changed });
  await rows.filter({ hasText: 'Another title' }).waitFor();
  expect(lists.length).toBe(before + 1);
  expect(faults).toEqual([]);
});

it('has the same words for a deleted chat and for none, and leads to the list of chats', async () => {
  const { server, browser } = suite;
  const { page } = await watchPage(browser, server);
  await signIn(page, server, 'chats/none');
  expect(await page.getByRole('alert').innerText()).toContain('Chat not found.');
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('alert').getByRole('link', { name: 'Show all chats' }).click({ timeout: 5000 });
  await page.getByRole('heading', { name: 'Chats', exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/chats');
});

it('leads from a missing request to the list of receipts', async () => {
  const { server, browser } = suite;
  const { page } = await watchPage(browser, server);
  await signIn(page, server);
  await page.click('button[type=submit]');
  await page.waitForURL(/\/chats\/\w+/u);
  await goTo(page, `${new URL(page.url()).pathname}/requests/none`);
  const alert = page.getByRole('alert');
  await alert.getByText('Request not found.').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await alert.getByRole('link', { name: 'Show all receipts' }).click({ timeout: 5000 });
  await page.getByRole('heading', { name: 'Receipts', exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/requests');
});

/** Copies a chat, each one older than all others: the first is the oldest. */
async function createChats(): Promise<void> {
  const { server, databaseUrl } = suite;
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ content: 'Hi', title: 'Copied' });
  const response = await fetch(`${server.url}/api/chats`, { method: 'POST', headers, body });
  expect(response.status).toBe(201);
  const store = await openStore({ url: databaseUrl });
  const chat = await store.db
    .selectFrom('chats')
    .selectAll()
    .where('title', '=', 'Copied')
    .executeTakeFirstOrThrow();
  const settled = { ...chat, status: 'waiting', request_id: null, runner: null };
  const copies = Array.from({ length: CHATS }, (_none, index) => {
    const at = chat.created_at - DAY_MS + index;
    const title = `Question ${index} of many`;
    return { ...settled, id: crypto.randomUUID(), title, created_at: at, updated_at: at };
  });
  await store.db
    .insertInto('chats')
    .values(copies.slice(0, CHATS / 2))
    .execute();
  await store.db
    .insertInto('chats')
    .values(copies.slice(CHATS / 2))
    .execute();
  await store.close();
}
