/** Tests of the settings and the keyboard in Chromium. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
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

it('creates a token that works, shows it once, and revokes it', async () => {
  const { page, faults } = await watchPage(browser, server, { viewport: { width: 390, height: 844 } });
  await page.goto(server.link);
  await page.getByRole('link', { name: 'More' }).click();
  await page.getByText('requests a minute').waitFor();
  await page.getByLabel('Name').fill('nightly');
  await page.getByLabel('Expires after').selectOption('1 day');
  await page.getByRole('button', { name: 'Create token' }).click();
  const token = await page.locator('code', { hasText: /^tc_/u }).innerText();
  const read = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${server.url}/api/me`, { headers })).status;
  };
  expect(await read()).toBe(200);
  const row = page.getByRole('listitem').filter({ hasText: 'nightly' });
  expect(await row.innerText()).toMatch(/chats · created just now · expires/u);
  expect(await violationsOf(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  await page.getByRole('button', { name: 'Revoke nightly' }).click();
  await page.getByRole('button', { name: 'Revoke now nightly' }).click();
  await row.waitFor({ state: 'detached' });
  expect(await read()).toBe(401);
  expect(faults).toEqual([]);
});

it('goes from the start to a sealed value, a chat by its title, and the settings by keyboard', async () => {
  const { page, faults } = await watchPage(browser, server, { colorScheme: 'dark' });
  const { keyboard } = page;
  await page.goto(server.link);
  await page.getByText('No model is connected').waitFor();
  await keyboard.press('Enter');
  await page.waitForSelector('[data-state=valid]');
  await keyboard.press('v');
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Value of bug');
  await keyboard.press('g');
  await keyboard.press('s');
  await page.locator('#question').waitFor();
  await keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Find a page, a chat or an id' });
  await palette.waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await keyboard.type('which file');
  await palette.getByRole('option', { name: /Which file has the bug/u }).waitFor();
  await keyboard.press('Enter');
  await page.waitForURL(/\/chats\/[\w-]+$/u);
  await page.waitForSelector('[data-state=valid]');
  await keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await keyboard.press('g');
  await keyboard.press(',');
  await page.getByLabel('Single-key shortcuts').uncheck();
  await page.getByRole('heading', { name: 'Settings' }).focus();
  await keyboard.press('?');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(faults).toEqual([]);
});
