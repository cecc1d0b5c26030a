/** Tests in Chromium: pages while they load, without content or not found, and over plain HTTP. */
import { expect, it } from 'vitest';
import { matrixCases, matrixColumns } from '../matrix.ts';
import { goTo, signIn, violationsOf, watchPage } from './console-fixture.ts';
import { packedConsole } from './packed-console.ts';

const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;
const suite = packedConsole();

it('has a heading while the file of a page is loaded', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  const released = Promise.withResolvers<undefined>();
  await page.route(/\/assets\/quality-page-/u, async (route) => {
    await released.promise;
    await route.continue();
  });
  await signIn(page, server, 'quality');
  await page.getByRole('status', { name: 'Loading' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  released.resolve(undefined);
  await page.getByRole('heading', { name: 'Quality' }).waitFor();
  expect(faults).toEqual([]);
});

it.each(matrixColumns(1, [{}, NARROW], { rows: 2 }))(
  'offers a command to copy before there is a chat, and then its value',
  async (screen) => {
    const { server, browser } = suite;
    const { page, faults } = await watchPage(browser, server, screen);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page, server, 'chats?q=');
    await page.route(/\/api\/chats\?/u, (route) => route.fulfill({ json: { chats: [] } }));
    await page.reload();
    await page.getByText('There are no chats yet.').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl http.*\/api\/chats /u);
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await page.unroute(/\/api\/chats\?/u);
    await goTo(page, '');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.waitForSelector('[data-state=valid]');
    await goTo(page, 'chats');
    const row = page.getByRole('main').getByRole('listitem').first();
    await row.getByText('file: "src/loop.ts", line: 42').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(faults).toEqual([]);
  },
);

it.each([
  ['chats/none', 'Show all chats', 'Chats'],
  ['runs/none', 'Show all runs', 'Runs'],
  ['stage/none', 'Show all ensemble runs', 'Stage'],
  ['schemas/none', 'Show all schemas', 'Quality'],
])('leads from the missing %s to its list', async (path, link, heading) => {
  const { server, browser } = suite;
  const { page } = await watchPage(browser, server);
  await signIn(page, server, path);
  await page.getByRole('alert').getByRole('link', { name: link }).click();
  await page.getByRole('heading', { name: heading, exact: true }).waitFor();
});

it.each(matrixCases(1, ['since=then&until=now', 'since=2026-11-24T00:00:00Z&until=2026-11-23T00:00:00Z']))(
  'requests nothing for the time %s, which is not a range',
  async (range) => {
    const { server, browser } = suite;
    const { page, faults } = await watchPage(browser, server);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/quality')) sent.push(request.url());
    });
    await signIn(page, server, `quality?${range}`);
    const alert = page.getByRole('alert');
    await alert.getByText('is not a range').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(sent).toEqual([]);
    await alert.getByRole('button', { name: 'Show the last 7 days' }).click();
    await alert.waitFor({ state: 'detached' });
    await expect.poll(() => sent.length).toBeGreaterThan(0);
    expect(faults).toEqual([]);
  },
);

it('copies over plain HTTP, and says that a hash cannot be verified there', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  // As on an address of another machine, for each document that is loaded from now on.
  await page.addInitScript(`
    Object.defineProperty(window, 'isSecureContext', { value: false });
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    Object.defineProperty(crypto, 'subtle', { value: undefined });`);
  await page.reload();
  await signIn(page, server);
  await page.click('button[type=submit]');
  await page.waitForSelector('[data-state=valid]');
  await page.getByRole('button', { name: 'Copy value' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await page.locator('#follow-up').focus();
  await page.keyboard.press('Control+V');
  expect(await page.inputValue('#follow-up')).toContain('"line":42');
  await page.getByRole('link', { name: 'Receipt', exact: true }).click();
  await page.getByText('Browsers can verify a hash only over HTTPS or on localhost.').waitFor();
  expect(await page.getByRole('button', { name: 'Verify' }).count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  expect(faults).toEqual([]);
  // No other test has its script.
  await page.close();
});
