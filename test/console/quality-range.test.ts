/** Quality page in Chromium: a time range by pointer and by keyboard, ensembles, many requests. */
import { expect, it } from 'vitest';
import { openStore } from '../../packages/store/src/open-store.ts';
import { matrixRuns } from '../matrix.ts';
import { goTo, signIn, violationsOf, watchPage } from './console-fixture.ts';
import { appendSampleRun } from './sample-ledger.ts';
import { packedConsole } from './packed-console.ts';

const DAY_MS = 86_400_000;
const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;
const suite = packedConsole();

it('zooms into the days of a drag, goes back, and does the same by keyboard', async () => {
  const { server, browser, databaseUrl } = suite;
  const { page, faults } = await watchPage(browser, server, { viewport: { width: 1440, height: 900 } });
  await signIn(page, server);
  for (let turn = 0; turn < 3; turn += 1) {
    await goTo(page, '');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.waitForSelector('[data-state=valid]');
  }
  // The answers of three days.
  const store = await openStore({ url: databaseUrl });
  const requests = await store.db.selectFrom('chat_requests').select(['id', 'created_at']).execute();
  for (const [index, { id, created_at: createdAt }] of requests.entries()) {
    await store.db
      .updateTable('chat_requests')
      .set({ created_at: createdAt - index * DAY_MS })
      .where('id', '=', id)
      .execute();
  }
  await store.close();
  await goTo(page, 'quality');
  const chart = page.getByRole('img', { name: /^First-try rate from / });
  await chart.waitFor();
  const answers = page.locator('dl').getByText('Answers').locator('xpath=../dd[1]');
  expect(await answers.innerText()).toBe('3');
  const box = await chart.boundingBox();
  if (box === null) throw new TypeError('The chart has no box.');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.4, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 1, y, { steps: 4 });
  expect(await page.locator('[data-range]').count()).toBe(1);
  await page.mouse.up();
  await page.waitForURL(/since=.+&until=/u);
  await expect.poll(() => answers.innerText()).toBe('2');
  expect(await violationsOf(page)).toEqual([]);
  const whole = page.getByTitle('Show the whole time');
  expect(await whole.innerText()).toMatch(/^\w+ \d+ to \w+ \d+\s×$/u);
  await whole.click();
  await expect.poll(() => answers.innerText()).toBe('3');
  expect(new URL(page.url()).search).toBe('');
  await page.getByText('Figures', { exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => answers.innerText()).toBe('1');
  await goTo(page, 'quality?since=then&until=now');
  await page.getByRole('alert').waitFor();
  await page.getByRole('button', { name: 'then to now' }).click();
  await expect.poll(() => answers.innerText()).toBe('3');
  expect(faults).toEqual([]);
});

it('counts how answers of ensembles were obtained, in total and for each group', async () => {
  const { server, browser, databaseUrl } = suite;
  await appendSampleRun(databaseUrl, 'boat/1', 40);
  for (const screen of [{ viewport: { width: 1440, height: 900 } }, NARROW]) {
    const { page, faults } = await watchPage(browser, server, screen);
    await signIn(page, server, 'quality?source=ensembles&by=agent&days=90');
    await page.getByText(/^Ensembles: \d+ re-asked · \d+ repaired/u).waitFor();
    if (screen === NARROW) await page.locator('summary', { hasText: 'ivo' }).click();
    await page
      .getByText(/^\d+ re-asked · \d+ repaired/u)
      .first()
      .waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(faults).toEqual([]);
  }
});

/** Each second one is valid on the first try. */
const COPIES = matrixRuns(2_000, 5_000);

it('counts thousands of requests, and opens those behind a figure', async () => {
  const { server, browser, databaseUrl } = suite;
  await keepCopies(databaseUrl, COPIES);
  const { page, faults } = await watchPage(browser, server, { viewport: { width: 1440, height: 900 } });
  await signIn(page, server, 'quality?days=90&source=chats');
  const figure = (name: string): Promise<string> =>
    page.locator('dl').getByText(name, { exact: true }).locator('xpath=../dd[1]').innerText();
  await page.getByRole('img', { name: /^First-try rate from / }).waitFor();
  expect(await figure('Answers')).toBe((COPIES + 3).toLocaleString('en-US'));
  // The demo model breaks a rule first.
  expect(await figure('First try')).toBe('49.9 %');
  expect(await figure('In the end')).toBe('100.0 %');
  const fields = page.getByRole('group', { name: 'Table of fields' });
  // 1,003 of 3,006 attempts, or 2,503 of 7,506.
  expect(await fields.innerText()).toMatch(/bug \/line\s+Expected integer\s+33\.3 %/u);
  expect(await violationsOf(page)).toEqual([]);
  await fields.getByRole('link', { name: 'bug' }).click();
  const rows = page.getByRole('list', { name: 'Receipts' }).getByRole('link');
  await rows.first().waitFor();
  expect(await rows.count()).toBeLessThanOrEqual(100);
  expect(faults).toEqual([]);
});

/** Copies a request of the demo model, each one 15 minutes older. */
async function keepCopies(databaseUrl: string, copies: number): Promise<void> {
  const store = await openStore({ url: databaseUrl });
  const request = await store.db.selectFrom('chat_requests').selectAll().executeTakeFirstOrThrow();
  for (let from = 0; from < copies; from += 500) {
    await store.db
      .insertInto('chat_requests')
      .values(
        Array.from({ length: 500 }, (_none, index) => ({
          ...request,
          id: crypto.randomUUID(),
          created_at: request.created_at - (from + index) * 900_000,
          ...(index % 2 === 0 && { attempts: '[{"code":"ok"}]' }),
        })),
      )
      .execute();
  }
  await store.close();
}
