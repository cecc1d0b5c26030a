/** Screenshots of states that pass quickly or need a failure: loading, empty, lost, retry, subagent, stop. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { startConsole, watchPage, type ConsoleServer } from './console-fixture.ts';
import { openChat } from './open-chat.ts';
import { shootWork, VERSION_QUESTION } from './shoot-work.ts';

type Shoot = (page: Page, name: string) => Promise<unknown>;

const LONG_TITLE =
  'Which of the 214 files of the importer has the bug, since when, and who reviewed it? '.repeat(3);
const SLOW = { chunkChars: 4, chunkDelayMs: 40 };
const LISTS = ['chats', 'requests', 'quality', 'compare'];
const PROBLEM = {
  code: 'service_unavailable',
  status: 503,
  title: 'Service Unavailable',
  detail: 'The database does not answer. Try again.',
};
/** Loading shows nothing for 150 ms, and transitions last up to 420 ms. */
const SETTLED_MS = 700;

/** Takes the pictures of one size and theme, with a server of their own. */
export async function shootStates(
  cwd: string,
  browser: Browser,
  options: BrowserContextOptions,
  shoot: Shoot,
): Promise<void> {
  await using model = await scriptedModelServer({
    script: ({ messages, userText, lastToolResult }) => {
      if (JSON.stringify(messages).includes(VERSION_QUESTION)) return reply.text('No.');
      if (userText === 'Retry.') return reply.error(429, { retryAfterSeconds: 8 });
      if (userText !== 'Delegate.') return reply.text('A long answer. '.repeat(90), SLOW);
      if (lastToolResult === undefined) return reply.tool('spawn_agent', { prompt: LONG_TITLE });
      return reply.text('Another agent works.');
    },
  });
  await using server = await startConsole(cwd, { modelUrl: model.openaiUrl, hasSubagents: true });
  const { page } = await watchPage(browser, server, options);
  await page.goto(await server.newLink());
  await page.waitForSelector('#question');
  await shootLists(page, server, shoot);
  await shootWork(page, server, shoot);
  await shootTurns(page, server, shoot);
  await page.context().close();
}

async function shootLists(page: Page, { url }: ConsoleServer, shoot: Shoot): Promise<void> {
  for (const list of LISTS) {
    await page.goto(`${url}/${list}`);
    await page.waitForTimeout(SETTLED_MS);
    await shoot(page, `empty-${list}`);
  }
  await page.goto(`${url}/chats?q=no%20such%20title`);
  await page.waitForTimeout(SETTLED_MS);
  await shoot(page, 'empty-filtered');
  await page.route('**/api/chats?**', () => undefined);
  await page.goto(`${url}/chats`);
  await page.getByRole('status', { name: 'Loading' }).waitFor();
  await page.waitForTimeout(SETTLED_MS);
  await shoot(page, 'loading');
  await page.unroute('**/api/chats?**');
  await page.route('**/api/*?**', (route) => route.fulfill({ status: 503, json: PROBLEM }));
  for (const list of ['requests', 'quality', 'compare?requests=one,two']) {
    await page.goto(`${url}/${list}`);
    await page.getByRole('alert').first().waitFor();
    await page.waitForTimeout(SETTLED_MS);
    await shoot(page, `error-${list.split('?')[0]}`);
  }
  await page.unroute('**/api/*?**');
}

async function shootTurns(page: Page, server: ConsoleServer, shoot: Shoot): Promise<void> {
  await openChat(page, server, 'Retry.');
  await page.getByText(/^429, retrying in/u).waitFor();
  await shoot(page, 'retry');
  await openChat(page, server, 'Delegate.');
  await page.getByText('Another agent works.').waitFor();
  await shoot(page, 'subagent');
  await openChat(page, server, LONG_TITLE);
  await page.getByText('A long answer.').first().waitFor();
  await shoot(page, 'long');
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('s');
  await page.waitForSelector('dialog');
  await page.waitForTimeout(SETTLED_MS);
  await shoot(page, 'stop');
  await page.keyboard.press('Escape');
  await page.context().setOffline(true);
  await page.fill('#follow-up', 'Are you there?');
  await page.getByRole('button', { name: 'Queue' }).click();
  await page.getByText('Connection lost.').waitFor();
  await page.waitForTimeout(SETTLED_MS);
  await shoot(page, 'lost');
}
