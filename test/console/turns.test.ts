/** Tests of a running turn in Chromium: a killed server, a promoted message, an interruption. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { DEMO_PACE } from '../../packages/server/src/serve/scripted-model.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { itWhole, matrixCases } from '../matrix.ts';
import {
  goTo,
  startConsole,
  startConsoleHere,
  signIn,
  violationsOf,
  watchPage,
  type ConsoleServer,
} from './console-fixture.ts';
import { openChat } from './open-chat.ts';
import { packedConsole, packedServer } from './packed-console.ts';

const SLOW = { chunkChars: 40, chunkDelayMs: 250 };
const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

let replies: ScriptedReply[] = [];
const suite = packedConsole({ script: () => replies.shift() ?? reply.error(401) });

it.each(matrixCases(1, ['pointer', 'keyboard']))(
  'goes on after its server was killed, with each step once, by %s',
  async (device) => {
    const databaseUrl = join(suite.project, `killed-${device}.sqlite`);
    const killed = await startConsole(suite.project, { databaseUrl });
    const { page, faults } = await watchPage(suite.browser, killed, device === 'pointer' ? NARROW : {});
    const resumed: string[] = [];
    page.on('request', (request) => {
      const after = new URL(request.url()).searchParams.get('after');
      if (/chats\/[\w-]+\/stream/u.test(request.url()) && Number(after) > 0) resumed.push(request.url());
    });
    await page.goto(await killed.newLink());
    await page.getByText('No model is connected').waitFor();
    if (device === 'pointer') await page.getByRole('button', { name: 'Ask', exact: true }).click();
    else await page.keyboard.press('Enter');
    // The demo model pauses before its corrected answer.
    await page.getByText('Answer refused').waitFor();
    await killed.kill();
    expect(await page.locator('[data-state=valid]').count()).toBe(0);
    await page.getByText('Connection lost.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await using _restarted = await startConsoleHere(await packedServer(), suite.project, {
      databaseUrl,
      port: Number(new URL(killed.url).port),
      demoPace: DEMO_PACE,
    });
    await page.waitForSelector('[data-state=valid]');
    await page.getByText('Connection lost.').waitFor({ state: 'detached' });
    const transcript = page.getByRole('main');
    expect(resumed).not.toEqual([]);
    expect(await page.getByText('Answer refused').count()).toBe(1);
    expect(await page.getByText('Answer accepted').count()).toBe(1);
    const steps = await transcript.locator('[data-step]').allInnerTexts();
    await page.reload();
    await page.getByText('Answer accepted').waitFor();
    expect(await transcript.locator('[data-step]').allInnerTexts()).toEqual(steps);
    if (device === 'keyboard') {
      await page.keyboard.press('v');
      expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Value of bug');
    }
    expect(faults.filter((fault) => !fault.includes('net::ERR_'))).toEqual([]);
  },
);

itWhole('runs a queued message at once by keyboard', async () => {
  const { server, browser } = suite;
  replies = [reply.text('long '.repeat(4_000), SLOW), reply.text('The last one.')];
  const { page, faults } = await watchPage(browser, server);
  await openChat(page, server, 'Look.');
  await page.getByText('long long').first().waitFor();
  await tabTo(page, 'follow-up');
  for (const text of ['never', 'at once']) {
    await page.keyboard.type(text);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: `Run now: ${text}` }).waitFor();
  }
  expect(await violationsOf(page)).toEqual([]);
  await tabTo(page, 'Remove: never', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove: never' }).waitFor({ state: 'detached' });
  await tabTo(page, 'Run now: at once');
  await page.keyboard.press('Enter');
  await page.getByText('The last one.').waitFor();
  expect(await page.getByText('never').count()).toBe(0);
  expect(replies).toEqual([]);
  expect(faults).toEqual([]);
});

it('stops a turn with one click, and keeps the chat', async () => {
  const { server, browser } = suite;
  replies = [reply.text('long '.repeat(4_000), SLOW), reply.text('After the stop.')];
  const { page, faults } = await watchPage(browser, server, NARROW);
  await openChat(page, server, 'Look.');
  await page.getByText('long long').first().waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
  await page.getByText('Stopped.').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.fill('#follow-up', 'Go on.');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByText('After the stop.').waitFor();
  expect(faults).toEqual([]);
});

it('requests a confirmation before it stops a turn by keyboard', async () => {
  const { server, browser } = suite;
  replies = [reply.text('long '.repeat(4_000), SLOW), reply.text('After the stop.')];
  const { page, faults } = await watchPage(browser, server);
  await openChat(page, server, 'Look.');
  await page.getByText('long long').first().waitFor();
  const dialog = page.getByRole('dialog', { name: 'Stop this turn?' });
  // The text of a turn can be drawn before its status: until then, the key has no meaning.
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
  await page.keyboard.press('s');
  await dialog.waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // Beside the status, a step can say it too.
  await page.getByRole('main').getByText('running').first().waitFor();
  await page.keyboard.press('s');
  await dialog.waitFor();
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Stopped.').waitFor();
  await tabTo(page, 'follow-up');
  await page.keyboard.type('Go on.');
  await page.keyboard.press('Control+Enter');
  await page.getByText('After the stop.').waitFor();
  expect(faults).toEqual([]);
});

/** Resolves after the page has drawn its end. */
const TO_END = `new Promise((drawn) => {
  scrollTo(0, document.documentElement.scrollHeight);
  requestAnimationFrame(() => requestAnimationFrame(() => drawn(0)));
})`;

it('counts the steps that a reader of earlier ones did not see', async () => {
  const { server, browser } = suite;
  replies = [reply.text('word\n\n'.repeat(200)), reply.text('The last one.')];
  const { page, faults } = await watchPage(browser, server, NARROW);
  await openChat(page, server, 'Look.');
  await page.getByText('word').first().waitFor();
  // The reader sees the end, and goes back.
  await page.evaluate(TO_END);
  await page.evaluate('scrollTo(0, 0)');
  await sendMessage(page, server, 'And?');
  const newer = page.getByRole('button', { name: '2 new ↓' });
  await newer.waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press('.');
  await newer.waitFor({ state: 'detached' });
  expect(await page.getByText('The last one.').isVisible()).toBe(true);
  expect(faults).toEqual([]);
});

it('says that a reply was empty, and asks again with another model', async () => {
  const { server, browser } = suite;
  replies = [reply.text(''), reply.error(401), reply.text('At last.')];
  const { page, faults } = await watchPage(browser, server, NARROW);
  await openChat(page, server, 'Look.');
  await page.getByText('The model sent an empty reply.').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  const again = page.getByRole('group', { name: 'Try again' });
  await again.getByRole('button').click();
  // A failure of the service has the same way on.
  await page.getByText(/API key/u).waitFor();
  await again.getByLabel('Switch model').selectOption('scripted:demo');
  await again.getByRole('button').click();
  await page.getByText('this is an echo: Look.').waitFor();
  expect(await again.count()).toBe(0);
  expect(replies.length).toBe(1);
  replies = [];
  expect(faults).toEqual([]);
});

/** Sends a message to the chat of a page, as another program does. */
async function sendMessage(page: Page, { url, token }: ConsoleServer, content: string): Promise<void> {
  const { pathname } = new URL(page.url());
  await fetch(`${url}/api${pathname}/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ content }),
  });
}

const FOCUSED = 'document.activeElement.id || document.activeElement.getAttribute("aria-label")';

/** Moves the focus with Tab to an element with this id or label. */
async function tabTo(page: Page, name: string, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 40 && (await page.evaluate(FOCUSED)) !== name; presses += 1) {
    await page.keyboard.press(key);
  }
  expect(await page.evaluate(FOCUSED)).toBe(name);
}

it('shows in the list of chats why the newest request failed, not an older value', async () => {
  const { server, browser } = suite;
  const token = server.token;
  const send = async (path: string, content: string): Promise<string> => {
    const schema = { type: 'object', properties: { line: { type: 'integer' } }, required: ['line'] };
    const response = await fetch(`${server.url}/api${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        content,
        ...(path === '/chats' && { model: 'local:scripted' }),
        response_format: { type: 'json_schema', json_schema: { name: 'bug', schema } },
      }),
    });
    return await response.text();
  };
  const answer = (line: unknown): ScriptedReply =>
    reply.toolText('submit_structured_output', JSON.stringify({ output: { line } }));
  replies = [answer(42), ...Array.from({ length: 8 }, () => answer('twelve'))];
  const { page, faults } = await watchPage(browser, server, NARROW);
  await signIn(page, server);
  await page.locator('#question').waitFor();
  const id = /"id":"([\w-]+)"/u.exec(await send('/chats', 'Which line?'))?.[1] ?? '';
  await goTo(page, 'chats');
  const row = page.getByRole('link', { name: 'Which line?' });
  await row.getByText('line: 42').waitFor();
  await send(`/chats/${id}/messages`, 'And now?');
  await row.locator('[data-failure]').waitFor();
  expect(await row.innerText()).toMatch(/\/line expected integer, got "twelve"\s*· \d+ attempts/u);
  expect(await row.innerText()).not.toContain('42');
  expect(await violationsOf(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  expect(faults).toEqual([]);
});
