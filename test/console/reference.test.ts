/** Tests of the API reference in Chromium: public, searchable, and able to send each request. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROUTES } from '../../packages/server/src/http/routes/all-routes.ts';
import {
  startPackedConsole,
  violationsOf,
  watchPage,
  type ConsoleServer,
  type PackedConsole,
} from './console-fixture.ts';

let packed: PackedConsole;
let server: ConsoleServer;
let browser: Browser;

beforeAll(async () => {
  packed = await startPackedConsole();
  ({ server, browser } = packed);
}, 240_000);
afterAll(() => packed?.[Symbol.asyncDispose]());

it('shows every operation without a token, finds one by a word, and has an anchor for each', async () => {
  const narrow = { viewport: { width: 390, height: 844 } };
  const { page, faults } = await watchPage(browser, server, narrow);
  await page.goto(`${server.url}/docs#revokeToken`);
  await page.locator('#createChat').waitFor();
  for (const { operationId } of ROUTES) expect(await page.locator(`#${operationId}`).count()).toBe(1);
  expect((await page.locator('#revokeToken').boundingBox())?.y).toBeLessThan(844);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  await page.getByRole('searchbox').fill('tool results');
  expect(await page.locator('section[id]').count()).toBeLessThan(ROUTES.length / 2);
  await page.locator('#submitToolResults summary', { hasText: 'Problems' }).click();
  expect(await page.locator('#submitToolResults').innerText()).toContain('missing_tool_result');
  expect(await violationsOf(page)).toEqual([]);
  await page.locator('#submitToolResults summary', { hasText: 'Try it' }).click();
  expect(await page.locator('#submitToolResults').innerText()).toContain('This page has no token.');
  expect(faults).toEqual([]);
});

it('sends a request with the token of the session, and follows a stream', async () => {
  const { page, faults } = await watchPage(browser, server);
  await page.goto(server.link);
  await page.getByRole('link', { name: 'API reference' }).click();
  const create = page.locator('#createChat');
  await create.getByRole('button', { name: 'Python' }).click();
  expect(await create.innerText()).toContain('os.environ["TRUECAST_TOKEN"]');
  await create.getByText('Try it').click();
  await create.getByRole('button', { name: 'Send createChat' }).click();
  const response = { name: 'Response', exact: true } as const;
  const created = create.getByRole('group', response);
  await created.getByText('"chat_id": "').waitFor();
  const chatId = /"id": "([\w-]+)"/u.exec(await created.innerText())?.[1] ?? '';
  const stream = page.locator('#streamChat');
  await stream.getByText('Try it').click();
  await stream.getByRole('textbox', { name: 'id', exact: true }).fill(chatId);
  await stream.getByRole('button', { name: 'Send streamChat' }).click();
  await stream.getByRole('group', response).getByText('"status":"succeeded"').waitFor();
  await stream.getByRole('button', { name: 'Stop' }).click();
  await stream.getByRole('button', { name: 'Send streamChat' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});
