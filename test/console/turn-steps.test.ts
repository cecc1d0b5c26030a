/** Tests of a turn's live steps in Chromium: a repeated model call, and a subagent. */
import { expect, it } from 'vitest';
import { openStore } from '../../packages/store/src/open-store.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { matrixColumns } from '../matrix.ts';
import { signIn, violationsOf, watchPage } from './console-fixture.ts';
import { openChat } from './open-chat.ts';
import { packedConsole } from './packed-console.ts';

const SLOW = { chunkChars: 40, chunkDelayMs: 250 };
const WIDE = { viewport: { width: 1_440, height: 900 } };
const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

let failures = 0;
const suite = packedConsole({
  hasSubagents: true,
  script: ({ userText, lastToolResult }) => {
    if (userText === 'Retry.') {
      failures += 1;
      return failures % 2 === 1 ? reply.error(429, { retryAfterSeconds: 4 }) : reply.text('At last.');
    }
    if (userText === 'Look into it.') return reply.text('long '.repeat(120), SLOW);
    if (lastToolResult === undefined) return reply.tool('spawn_agent', { prompt: 'Look into it.' });
    return reply.text('Another agent works.');
  },
});

it.each(matrixColumns(0, [WIDE, NARROW], { rows: 2 }))(
  'shows the status of a failed call and the seconds until it is repeated',
  async (screen) => {
    const { server, browser } = suite;
    const { page, faults } = await watchPage(browser, server, screen);
    await openChat(page, server, 'Retry.');
    await page.getByText(/^429, retrying in [1-4] s$/u).waitFor();
    const said = await page.getByRole('main').innerText();
    expect(said).toContain('limits the request rate');
    expect(said).not.toContain('Try again');
    expect(await page.getByText('Waiting for the model').count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await page.getByText('At last.').waitFor();
    expect(await page.getByText(/retrying/u).count()).toBe(0);
    expect(faults).toEqual([]);
  },
);

it.each(matrixColumns(1, [WIDE, NARROW], { rows: 2 }))(
  'links a subagent, with the state of its chat while it works',
  async (screen) => {
    const { server, browser } = suite;
    const { page, faults } = await watchPage(browser, server, screen);
    await openChat(page, server, 'Delegate.');
    const main = page.getByRole('main');
    const step = main.locator('[data-step]').filter({ hasText: 'Subagent' });
    await step.getByText('running').waitFor();
    await main.getByText('Another agent works.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await step.getByText('idle').waitFor();
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press(']');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await main.getByText('long long').waitFor();
    await page.getByRole('heading', { name: 'Look into it.' }).waitFor();
    expect(faults).toEqual([]);
  },
);

it('marks the provider of a receipt by its stored schema mode, without its model', async () => {
  const { server, browser, databaseUrl } = suite;
  const { page, faults } = await watchPage(browser, server, WIDE);
  await signIn(page, server);
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.waitForSelector('[data-state=valid]');
  const store = await openStore({ url: databaseUrl });
  const stored = await store.db.selectFrom('chat_requests').select('dialect').executeTakeFirstOrThrow();
  expect(stored).toEqual({ dialect: 'grammar' });
  // As after a change of the server's models: this one is gone.
  await store.db.updateTable('chat_requests').set({ dialect: 'gemini', model: 'google:gone' }).execute();
  await store.close();
  await page.getByRole('link', { name: 'Receipt', exact: true }).click();
  await page.getByRole('heading', { name: 'Receipt of bug' }).waitFor();
  await page.reload();
  const losses = page.getByRole('region', { name: 'Provider compatibility' });
  await losses.getByText('model of this receipt').waitFor();
  expect(await losses.getByRole('listitem').first().innerText()).toMatch(/^gemini\s+model of this receipt/u);
  expect(await violationsOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});
