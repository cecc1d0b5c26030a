/** Screenshots of a model that is connected in the page: form, test call, refusal, connected, gone. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { startConsole, watchPage } from './console-fixture.ts';

type Shoot = (page: Page, name: string) => Promise<unknown>;

const KEY = 'key-of-the-pictures';
/** Transitions last up to 420 ms. */
const SETTLED_MS = 700;
const VALUE = reply.tool('submit_structured_output', {
  output: { file: 'src/loop.ts', line: 42, why: 'The loop ends one item too late.' },
});
const MODELS = /\/api\/models$/u;

/** Takes the pictures of one size and theme, with a server of their own. */
export async function shootConnect(
  cwd: string,
  browser: Browser,
  options: BrowserContextOptions,
  shoot: Shoot,
): Promise<void> {
  await using model = await scriptedModelServer({ script: () => VALUE, key: KEY });
  await using server = await startConsole(cwd);
  const { page } = await watchPage(browser, server, options);
  const settle = (): Promise<void> => page.waitForTimeout(SETTLED_MS);
  await page.goto(await server.newLink());
  await page.getByText('No model is connected').waitFor();
  await page.locator('summary', { hasText: 'Connect a model' }).click();
  const form = page.getByRole('form', { name: 'Connect a model' });
  await form.waitFor();
  await settle();
  await shoot(page, 'connect-form');
  await form.getByRole('button', { name: 'llama.cpp' }).click();
  await form.getByLabel('Model', { exact: true }).fill('qwen3:8b');
  await form.getByLabel('Address').fill(model.openaiUrl);
  await form.getByLabel(/^API key/u).fill('another-key');
  const released = Promise.withResolvers<undefined>();
  await page.route(MODELS, async (route) => {
    if (route.request().method() === 'POST') await released.promise;
    await route.continue();
  });
  await form.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText('The model is called.').waitFor();
  await settle();
  await shoot(page, 'connect-testing');
  released.resolve(undefined);
  await form.getByRole('alert').waitFor();
  await settle();
  await shoot(page, 'connect-refused');
  await page.unroute(MODELS);
  await form.getByLabel(/^API key/u).fill(KEY);
  await form.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText('Ask it the first question.').waitFor();
  await settle();
  await shoot(page, 'connect-connected');
  await page.goto(`${server.url}/settings`);
  await page.getByRole('button', { name: /^Disconnect / }).waitFor();
  await shoot(page, 'connect-settings');
  await page.goto(server.url);
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.waitForURL(/\/chats\//u);
  await page.waitForSelector('[data-state=valid]');
  const chat = page.url();
  await page.goto(`${server.url}/settings`);
  await page.getByRole('button', { name: /^Disconnect / }).click();
  await page.getByRole('button', { name: /^Disconnect now / }).click();
  await page.getByRole('button', { name: /^Disconnect/u }).waitFor({ state: 'detached' });
  await page.goto(chat);
  await page.locator('summary', { hasText: 'Connect it again' }).click();
  await form.waitFor();
  await settle();
  await shoot(page, 'connect-gone');
  await page.context().close();
}
