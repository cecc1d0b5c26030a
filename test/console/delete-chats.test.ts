/** Tests of the deletion of chosen chats: how many requests run at once, and in Chromium the text for each chat. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { deleteEach, MAX_AT_ONCE } from '../../web/src/chat/delete-each.ts';
import { goTo, signIn, violationsOf, watchPage } from './console-fixture.ts';
import { layoutFaultsOf } from './layout-faults.ts';
import { packedConsole } from './packed-console.ts';

const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `chat-${at}`);

it(`deletes each chat once, at most ${MAX_AT_ONCE} at the same time, and keeps why one was refused`, async () => {
  let running = 0;
  let most = 0;
  const tried: string[] = [];
  const counts: number[] = [];
  const { deleted, refused } = await deleteEach({
    ids: ids(20),
    signal: new AbortController().signal,
    onProgress: (outcomes) => counts.push(outcomes.deleted.length + outcomes.refused.size),
    remove: async (id) => {
      tried.push(id);
      most = Math.max(most, (running += 1));
      await new Promise(setImmediate);
      running -= 1;
      if (id === 'chat-7') throw new Error('busy');
    },
  });
  expect(most).toBe(MAX_AT_ONCE);
  expect(tried.toSorted()).toEqual(ids(20).toSorted());
  expect([...refused].map(([id, { message }]) => [id, message])).toEqual([['chat-7', 'busy']]);
  expect(deleted.toSorted()).toEqual(
    ids(20)
      .filter((id) => id !== 'chat-7')
      .toSorted(),
  );
  expect(counts).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
});

it('starts no further deletion after a stop, and returns the outcome of each that it had started', async () => {
  const stopping = new AbortController();
  const tried: string[] = [];
  const { deleted, refused } = await deleteEach({
    ids: ids(20),
    signal: stopping.signal,
    onProgress: () => stopping.abort(),
    remove: async (id) => {
      tried.push(id);
      await new Promise(setImmediate);
    },
  });
  expect(tried).toEqual(ids(MAX_AT_ONCE));
  expect(deleted.toSorted()).toEqual(tried);
  expect(refused.size).toBe(0);
});

const SLOW = 'Never ends';
const suite = packedConsole({
  script: ({ messages }) =>
    JSON.stringify(messages).includes(SLOW)
      ? reply.cut({ afterChunks: 1, isSilent: true })
      : reply.text('Yes.'),
});
const created = z.object({ chat: z.object({ id: z.string() }), request_id: z.string().optional() });

function api(path: string, init: RequestInit = {}): Promise<Response> {
  const { url, token } = suite.server;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return fetch(`${url}/api/chats${path}`, { headers, ...init });
}

/** Asks over HTTP. Returns the id of the chat. */
async function ask(content: string): Promise<string> {
  const body = JSON.stringify({ content, title: content, model: 'local:scripted' });
  return created.parse(await (await api('', { method: 'POST', body })).json()).chat.id;
}

/** Status of each chat at the server: 200, or 404 without it. */
function statusOf(chats: readonly string[]): Promise<readonly number[]> {
  return Promise.all(chats.map(async (id) => (await api(`/${id}`)).status));
}

/** Opens the list with the chats whose title has a text. */
async function openList(page: Page, text: string, count: number): Promise<void> {
  await goTo(page, `chats?q=${text}`);
  const rows = page.getByRole('list', { name: 'Chats' }).getByRole('listitem');
  await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(count);
}

function focusedText(page: Page): Promise<unknown> {
  return page.evaluate('document.activeElement.innerText');
}

/** A problem as the server sends it. */
function problem(status: number, detail: string) {
  const body = JSON.stringify({ type: 'about:blank', title: 'Refused', status, detail, code: 'refused' });
  return { status, contentType: 'application/problem+json', body };
}

it('deletes chosen chats by keys alone, says before what is lost, and leaves the others', async () => {
  const { server, browser } = suite;
  const mark = randomUUID().slice(0, 8);
  const chats = [await ask(`A ${mark}`), await ask(`B ${mark}`), await ask(`${SLOW} ${mark}`)];
  const kept = await ask(`Kept ${mark}`);
  const { page, faults } = await watchPage(browser, server, { viewport: { width: 1440, height: 900 } });
  await signIn(page, server);
  await openList(page, mark, 4);
  await page.getByText('running', { exact: true }).first().waitFor();
  for (const title of ['A', 'B', SLOW]) {
    await page.getByRole('checkbox', { name: `Select ${title} ${mark}` }).press('Space');
  }
  const bar = page.getByRole('region', { name: 'Selection' });
  expect(await bar.innerText()).toContain('3 selected');
  expect(await violationsOf(page)).toEqual([]);
  const dialog = page.getByRole('dialog', { name: 'Delete chats' });
  await bar.getByRole('button', { name: 'Delete 3 chats' }).press('Enter');
  await dialog.getByRole('heading', { name: 'Delete 3 chats?' }).waitFor();
  const said = await dialog.innerText();
  expect(said).toContain('Erases messages, values, receipts and schemas');
  expect(said).toContain('This cannot be undone.');
  expect(said).toContain('1 of them runs: its turn ends without an answer.');
  const listed = dialog.getByRole('list', { name: 'Chats to delete' }).getByRole('listitem');
  expect((await listed.allInnerTexts()).toSorted()).toEqual([`A ${mark}`, `B ${mark}`, `${SLOW} ${mark}`]);
  expect(await violationsOf(page)).toEqual([]);
  // Escape deletes nothing, and the chats stay chosen.
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await statusOf(chats)).toEqual([200, 200, 200]);
  await expect.poll(() => focusedText(page)).toBe('Delete 3 chats');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Delete 3 chats' }).press('Enter');
  await dialog.getByRole('heading', { name: '3 chats deleted' }).waitFor();
  expect(await dialog.getByRole('status').innerText()).toBe('3 of 3 chats deleted.');
  await expect.poll(() => focusedText(page)).toBe('3 chats deleted');
  expect(await violationsOf(page)).toEqual([]);
  expect(await statusOf([...chats, kept])).toEqual([404, 404, 404, 200]);
  await dialog.getByRole('button', { name: 'Close' }).press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const rows = page.getByRole('list', { name: 'Chats' }).getByRole('listitem');
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining(`Kept ${mark}`)]);
  expect(await bar.count()).toBe(0);
  await expect.poll(() => focusedText(page)).toBe('Chats');
  expect(faults).toEqual([]);
});

it('names each chat that was refused with its reason, keeps it chosen, and tries it again', async () => {
  const { server, browser } = suite;
  const mark = randomUUID().slice(0, 8);
  const chats = [await ask(`A ${mark}`), await ask(`B ${mark}`), await ask(`C ${mark}`)];
  const [first, refused, elsewhere] = chats;
  const { page } = await watchPage(browser, server, { viewport: { width: 1440, height: 900 } });
  await signIn(page, server);
  await openList(page, mark, 3);
  await page.getByRole('checkbox', { name: 'Select all rows' }).press('Space');
  await page.getByRole('button', { name: 'Delete 3 chats' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delete chats' });
  await dialog.getByRole('heading', { name: 'Delete 3 chats?' }).waitFor();
  // One is refused, and a program deletes another one first.
  const refuse = `**/api/chats/${refused}`;
  await page.route(refuse, (route) =>
    route.request().method() === 'DELETE'
      ? route.fulfill(problem(409, 'The chat is locked.'))
      : route.continue(),
  );
  expect((await api(`/${elsewhere}`, { method: 'DELETE' })).status).toBe(204);
  await dialog.getByRole('button', { name: 'Delete 3 chats' }).press('Enter');
  await dialog.getByRole('heading', { name: '1 chat not deleted' }).waitFor();
  expect(await dialog.getByRole('status').innerText()).toBe('2 of 3 chats deleted.');
  const left = dialog.getByRole('list', { name: 'Chats that were not deleted' }).getByRole('listitem');
  expect(await left.allInnerTexts()).toEqual([
    expect.stringMatching(new RegExp(`B ${mark}\\s+.*The chat is locked\\.`, 'u')),
  ]);
  expect(await violationsOf(page)).toEqual([]);
  for (const width of [1440, 1024, 768, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await layoutFaultsOf(page)).toEqual([]);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(await statusOf([first ?? '', refused ?? ''])).toEqual([404, 200]);
  expect(
    await page.getByRole('checkbox', { name: `Select B ${mark}`, includeHidden: true }).isChecked(),
  ).toBe(true);
  await page.unroute(refuse);
  await dialog.getByRole('button', { name: 'Try again with 1 chat' }).press('Enter');
  await dialog.getByRole('heading', { name: '3 chats deleted' }).waitFor();
  expect(await statusOf(chats)).toEqual([404, 404, 404]);
});

it('stops with Escape, and says which chats are left', async () => {
  const { server, browser } = suite;
  const mark = randomUUID().slice(0, 8);
  const count = MAX_AT_ONCE + 3;
  const chats = await Promise.all(Array.from({ length: count }, (_, at) => ask(`Chat ${at} ${mark}`)));
  const { page, faults } = await watchPage(browser, server, { viewport: { width: 390, height: 844 } });
  await signIn(page, server);
  await openList(page, mark, count);
  for (let at = 0; at < count; at += 1) {
    await page.getByRole('checkbox', { name: `Select Chat ${at} ${mark}` }).press('Space');
  }
  expect(await layoutFaultsOf(page)).toEqual([]);
  // The first deletions wait until the stop.
  const held: (() => void)[] = [];
  await page.route('**/api/chats/*', async (route) => {
    if (route.request().method() === 'DELETE') await new Promise<void>((resolve) => held.push(resolve));
    await route.continue();
  });
  await page.getByRole('button', { name: `Delete ${count} chats` }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delete chats' });
  await dialog.getByRole('button', { name: `Delete ${count} chats` }).press('Enter');
  await dialog.getByRole('heading', { name: `Deleting ${count} chats` }).waitFor();
  await expect.poll(() => held.length).toBe(MAX_AT_ONCE);
  expect(await violationsOf(page)).toEqual([]);
  expect(await layoutFaultsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  for (const release of held) release();
  await dialog.getByRole('heading', { name: '3 chats not deleted' }).waitFor();
  expect(await dialog.getByRole('status').innerText()).toBe(`${MAX_AT_ONCE} of ${count} chats deleted.`);
  const left = dialog.getByRole('list', { name: 'Chats that were not deleted' });
  expect(await left.getByText('Stopped before it was deleted.').count()).toBe(3);
  const statuses = await statusOf(chats);
  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
  expect(held).toHaveLength(MAX_AT_ONCE);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await page.getByRole('region', { name: 'Selection' }).innerText()).toContain('3 selected');
  expect(faults).toEqual([]);
});
