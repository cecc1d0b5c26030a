/**
 * A model that is connected in the page, in Chromium and by the keyboard alone: from a server without any model
 * to a first value, in a second tab, and after a restart.
 */
import { expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { findEngine, startEngine, type RunningEngine } from '../engine/start-engine.ts';
import { violationsOf } from './console-fixture.ts';
import { openPage } from './kept-pages.ts';
import { servedProject } from './served-project.ts';

/** Two servers and a browser. */
const WALK_MS = 180_000;
/** A small engine on a busy machine. */
const ANSWER_MS = 120_000;
const KEY = 'key-that-only-the-form-has';
const MOST_TABS = 80;

const suite = servedProject();

/** Moves the focus with Tab until the element has it. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    if ((await page.locator(selector).and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new TypeError(`No Tab reaches ${selector}.`);
}

/** A field of the form. */
function field(page: Page, label: string): Locator {
  return page.getByRole('form', { name: 'Connect a model' }).getByLabel(label, { exact: true });
}

async function type(page: Page, label: string, text: string): Promise<void> {
  const id = await field(page, label).getAttribute('id');
  await tabTo(page, `[id="${id}"]`);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(text);
}

async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, `button:text-is("${name}")`);
  await page.keyboard.press('Enter');
}

const STORED = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])`;

it(
  'leads from no model to a value, to every tab, and to the same chat after a restart',
  async () => {
    const { browser, whileServing } = suite;
    const script = () =>
      reply.tool('submit_structured_output', { output: { file: 'src/a.ts', line: 7, why: 'Off by one.' } });
    await using model = await scriptedModelServer({ script, key: KEY });
    const page = await whileServing(['--open'], {}, async ({ url, openedPage }) => {
      const page = await openPage(browser, url);
      const other = await page.context().newPage();
      await page.goto(await openedPage());
      await page.waitForURL(`${url}/`);
      await page.getByText('No model is connected.').waitFor();
      await other.goto(`${url}/ask`);
      const picker = other.getByLabel('Model', { exact: true });
      await picker.waitFor();
      await page.bringToFront();
      await page.getByRole('heading', { level: 1 }).focus();
      await tabTo(page, 'summary:has-text("Connect a model")');
      await page.keyboard.press('Enter');
      await press(page, 'llama.cpp');
      await type(page, 'Model', 'scripted');
      await type(page, 'Address', model.openaiUrl);
      await type(page, 'API key, if its server needs one', 'not-the-right-key');
      await page.keyboard.press('Enter');
      await page.getByText("rejected this server's API key").waitFor();
      expect(await field(page, 'API key, if its server needs one').getAttribute('aria-invalid')).toBe('true');
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('heading', { level: 1 }).focus();
      await type(page, 'API key, if its server needs one', KEY);
      await page.keyboard.press('Enter');
      const connected = page.locator('[role=status]', {
        hasText: 'is connected. Ask it the first question.',
      });
      await connected.waitFor();
      expect(await connected.innerText()).toMatch(
        /connected:local:scripted[^]*values by provider's schema mode · price unknown · context unknown · until the server stops/u,
      );
      await page.locator('button:focus', { hasText: 'Ask' }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForSelector('[data-state=valid]');
      await other.bringToFront();
      await expect
        .poll(() => picker.locator('option').allInnerTexts(), { timeout: 20_000 })
        .toContain('Default: connected:local:scripted');
      for (const each of [page, other]) {
        expect(String(await each.evaluate(STORED))).not.toContain(KEY);
        expect(await each.content()).not.toContain(KEY);
      }
      return page;
    });
    const chat = page.url();
    await page.bringToFront();
    await whileServing(['--port', new URL(chat).port], {}, async () => {
      await page.goto(chat);
      await page.getByText('The model is not connected any more').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await tabTo(page, 'summary:has-text("Connect it again")');
      await page.keyboard.press('Enter');
      await expect.poll(() => field(page, 'Model').inputValue()).toBe('scripted');
      await type(page, 'Address', model.openaiUrl);
      await type(page, 'API key, if its server needs one', KEY);
      await page.keyboard.press('Enter');
      await page.getByText('The model is not connected any more').waitFor({ state: 'detached' });
      await page.locator('#follow-up:focus').waitFor();
    });
  },
  WALK_MS,
);

const files = findEngine(process.env);
const CONTEXT = 4_096;

/** The engine of the machine, or its imitation. */
async function openEngine(): Promise<RunningEngine> {
  // The same answer in each run: some are ten times longer.
  const extra = ['--seed', '1'];
  if (files !== undefined) return startEngine(files, { contextTokens: CONTEXT, extra });
  const script = () => reply.json({ file: 'src/a.ts', line: 7, why: 'Off by one.' });
  const server = await scriptedModelServer({ script, localServer: 'llama.cpp', contextTokens: CONTEXT });
  const stop = (): Promise<void> => server.close();
  return { name: 'imitation', url: server.openaiUrl, model: 'scripted', [Symbol.asyncDispose]: stop };
}

it(
  'gets a first value from a real engine, by its own address',
  async () => {
    const { browser, whileServing } = suite;
    await using engine = await openEngine();
    await whileServing(['--open'], {}, async ({ url, openedPage }) => {
      const page = await openPage(browser, url);
      await page.goto(await openedPage());
      await page.getByText('Connect a model').click();
      await page.getByRole('button', { name: 'llama.cpp' }).click();
      await field(page, 'Model').fill(engine.model);
      await field(page, 'Address').fill(engine.url);
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
      const connected = page.locator('[role=status]', {
        hasText: 'is connected. Ask it the first question.',
      });
      await connected.waitFor({ timeout: ANSWER_MS });
      expect(await connected.innerText()).toMatch(/4,096 tokens of context/u);
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.waitForSelector('[data-state=valid]', { timeout: ANSWER_MS });
      expect(await page.getByText(`connected:local:${engine.model}`).first().isVisible()).toBe(true);
    });
  },
  WALK_MS * 2,
);
