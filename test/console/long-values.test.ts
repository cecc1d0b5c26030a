/** Test in Chromium: a value of thousands of rows has few of them in the document, and each can be found, folded and copied. */
import { expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { matrixRuns } from '../matrix.ts';
import { signIn, violationsOf, watchPage } from './console-fixture.ts';
import { packedConsole } from './packed-console.ts';

/**
 * Each is a row with three fields: 19,997 rows with that of the list in the whole form. The server accepts at most 20,000
 * values, and 262,144 bytes. The short form has 1,997 rows, 40 times the number of rows that are drawn.
 */
const PLACES = matrixRuns(499, 4_999);
/** One that is not drawn at first. */
const FAR = PLACES - 278;
const AROUND = Array.from({ length: 100 }, (_, at) => Math.round(PLACES / 2) - 50 + at);
const MIDDLE = new RegExp(String.raw`\b(?:${AROUND.join('|')})\.ts`, 'u');
const LISTED = PLACES.toLocaleString('en-US');
/** Those of a screen, and some above and below it. */
const MAX_DRAWN = 80;
const place = (at: number): object => ({ file: `${at}.ts`, line: at, why: `w ${at}` });
const schema = {
  type: 'object',
  properties: {
    places: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          file: { type: 'string' },
          line: { type: 'integer' },
          why: { type: 'string', description: 'Reason of the place' },
        },
        required: ['file', 'line', 'why'],
        additionalProperties: false,
      },
    },
  },
  required: ['places'],
  additionalProperties: false,
};

const suite = packedConsole({
  script: () => {
    const output = { places: Array.from({ length: PLACES }, (_, at) => place(at)) };
    return reply.toolText(FINALIZER_NAME, JSON.stringify({ output }), { chunkChars: 8_192 });
  },
});
const created = z.object({ chat: z.object({ id: z.string() }), request_id: z.string() });

/** Asks over HTTP, waits for the answer, and returns the path of its receipt. */
async function ask(): Promise<string> {
  const { url, token } = suite.server;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response_format = { type: 'json_schema', json_schema: { name: 'places', schema } };
  const body = JSON.stringify({ content: 'Places?', model: 'local:scripted', response_format });
  const answer = await fetch(`${url}/api/chats`, { method: 'POST', headers, body });
  const { chat, request_id: id } = created.parse(await answer.json());
  await fetch(`${url}/api/chats/${chat.id}/requests/${id}?wait=30`, { headers });
  return `chats/${chat.id}/requests/${id}`;
}

/** The page of a value of this size takes a busy browser long to lay out. */
const SLOW_MS = 120_000;

function soon<T>(read: () => T | Promise<T>): ReturnType<typeof expect.poll<T>> {
  return expect.poll(read, { timeout: SLOW_MS });
}

/** The text of the row on which keys act. */
async function activeText(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const tree = document.querySelector('[role=tree]');
    return document.getElementById(tree.getAttribute('aria-activedescendant')).innerText;
  })()`);
}

/** Returns true if the row is inside of the box that scrolls. */
async function isSeen(page: Page, pointer: string): Promise<boolean> {
  return page.evaluate(`(() => {
    const row = document.querySelector('[role=tree] [data-pointer="${pointer}"]');
    if (row === null) return false;
    const box = row.closest('[role=tree]').parentElement.getBoundingClientRect();
    const { top, bottom } = row.getBoundingClientRect();
    return top >= box.top - 1 && bottom <= box.bottom + 1;
  })()`);
}

/** Opens the receipt of a value with many places. */
async function openPlaces() {
  const { server, browser } = suite;
  const receipt = await ask();
  // axe takes a second for 60 drawn rows, and a third of it for half of them.
  const watched = await watchPage(browser, server, { viewport: { width: 1440, height: 500 } });
  const { page } = watched;
  page.setDefaultTimeout(SLOW_MS);
  await signIn(page, server, receipt);
  const value = page.getByRole('group', { name: 'Value of places' });
  const tree = value.getByRole('tree');
  return { ...watched, value, tree, rows: tree.getByRole('treeitem') };
}

it('draws few rows of thousands, and reaches each by keys, by scrolling and by its text', async () => {
  const { page, faults, value, tree, rows } = await openPlaces();
  const expectFew = async (): Promise<void> => {
    const drawn = await rows.count();
    expect(drawn).toBeGreaterThan(10);
    expect(drawn).toBeLessThan(MAX_DRAWN);
  };
  const first = tree.locator('[data-pointer="/places"]');
  await soon(() => first.innerText()).toContain(`· ${PLACES}`);
  await soon(() => rows.count()).toBeLessThan(MAX_DRAWN);
  await expectFew();
  expect(await placeOf(first)).toEqual(['1', '1', '1', 'true']);
  expect(await placeOf(tree.locator('[data-pointer="/places/3/line"]'))).toEqual(['3', '2', '3', null]);
  expect(await violationsOf(page)).toEqual([]);

  // Keys: the end, the part around it, and its fold.
  await page.keyboard.press('v');
  await page.keyboard.press('End');
  await soon(() => activeText(page)).toContain(`w ${PLACES - 1}`);
  const last = tree.locator(`[data-pointer="/places/${PLACES - 1}/why"]`);
  await soon(() => isSeen(page, `/places/${PLACES - 1}/why`)).toBe(true);
  expect(await placeOf(last)).toEqual(['3', '3', '3', null]);
  await expectFew();
  await page.keyboard.press('ArrowLeft');
  await soon(() => activeText(page)).toContain(String(PLACES - 1));
  const around = tree.locator(`[data-pointer="/places/${PLACES - 1}"]`);
  expect(await placeOf(around)).toEqual(['2', String(PLACES), String(PLACES), 'true']);
  await page.keyboard.press('ArrowLeft');
  await soon(() => around.getAttribute('aria-expanded')).toBe('false');
  expect(await last.count()).toBe(0);
  await page.keyboard.press('ArrowUp');
  await soon(() => activeText(page)).toContain(`w ${PLACES - 2}`);

  await value.getByText(`/places/${PLACES - 2}/why Reason of the place`).waitFor();

  // A leaf copies its pointer by Enter. Tab reaches the buttons of this row alone.
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.keyboard.press('Enter');
  await tree.getByText('pointer copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`/places/${PLACES - 2}/why`);
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.title')).toBe(
    `Copy the pointer /places/${PLACES - 2}/why`,
  );
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.innerText')).toBe('JSON');

  // The rows near a scrolled position, with the active one, which a screen reader still reads.
  await page.evaluate(`(() => {
    const box = document.querySelector('[role=tree]').parentElement;
    box.scrollTop = box.scrollHeight / 2;
  })()`);
  await soon(() => rows.count()).toBeGreaterThan(10);
  await soon(async () => (await rows.allInnerTexts()).join(' ')).toMatch(MIDDLE);
  await expectFew();
  expect(await activeText(page)).toContain(`w ${PLACES - 2}`);
  expect(faults).toEqual([]);
});

it('goes to a match that is not drawn, and opens the folded part around it', async () => {
  const { server, browser } = suite;
  const receipt = await ask();
  const { page, faults } = await watchPage(browser, server, { viewport: { width: 390, height: 500 } });
  page.setDefaultTimeout(SLOW_MS);
  await signIn(page, server, receipt);
  const value = page.getByRole('group', { name: 'Value of places' });
  const tree = value.getByRole('tree');
  // The first rows are replaced when the list that draws few of them is loaded: a click in between is lost.
  await tree.getByRole('treeitem').first().waitFor();
  await soon(() => tree.getByRole('treeitem').count()).toBeLessThan(MAX_DRAWN);
  await value.getByRole('button', { name: /^Members of places:/u }).click();
  await soon(() => tree.getByRole('treeitem').count()).toBe(1);
  await page.getByRole('button', { name: 'Find', exact: true }).click();
  await page.getByRole('searchbox', { name: 'Find in the value' }).fill(`W ${FAR}`);
  await value.getByText(`Match 1 of 1: /places/${FAR}/why`).waitFor();
  const hit = tree.locator(`[data-pointer="/places/${FAR}/why"]`);
  await soon(() => isSeen(page, `/places/${FAR}/why`)).toBe(true);
  expect(await hit.innerText()).toContain(`w ${FAR}`);
  expect(await tree.getByRole('treeitem').count()).toBeLessThan(MAX_DRAWN);
  expect(await violationsOf(page)).toEqual([]);

  // Enter goes to the next match, and after the last one to the first one.
  await page.getByRole('searchbox', { name: 'Find in the value' }).fill('places/12/');
  await value.getByText('Match 1 of 3: /places/12/file').waitFor();
  await page.keyboard.press('Shift+Enter');
  await value.getByText('Match 3 of 3: /places/12/why').waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await value.getByText('Match 2 of 3: /places/12/line').waitFor();
  await soon(() => isSeen(page, '/places/12/line')).toBe(true);
  expect(await tree.locator('[data-hit]').count()).toBe(3);
  await page.getByRole('searchbox', { name: 'Find in the value' }).fill('no such text');
  await value.getByText('No field matches.').waitFor();
  expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
  expect(faults).toEqual([]);
});

/** A row of JSON has a line with its coloured parts, and the lines of brackets. */
const MAX_ELEMENTS = MAX_DRAWN * 10;

it('shows thousands of rows as coloured JSON in the order of the schema, and folds them by keys', async () => {
  const { page, faults, value, tree, rows } = await openPlaces();
  await tree.locator('[data-pointer="/places/0/file"]').waitFor();
  await page.getByRole('button', { name: 'JSON', exact: true }).press('Enter');
  const first = tree.locator('[data-pointer="/places"]');
  await soon(() => first.innerText()).toBe('{\n  "places": [');
  const expectFew = async (): Promise<void> => {
    await soon(() => rows.count()).toBeLessThan(MAX_DRAWN);
    expect(await rows.count()).toBeGreaterThan(10);
    expect(await value.locator('*').count()).toBeLessThan(MAX_ELEMENTS);
  };
  await expectFew();
  // The last member of a place ends it.
  const texts = ['', '/file', '/line', '/why'].map((member) =>
    tree.locator(`[data-pointer="/places/0${member}"]`),
  );
  expect(await Promise.all(texts.map((row) => row.innerText()))).toEqual([
    '    {',
    '      "file": "0.ts",',
    '      "line": 0,',
    '      "why": "w 0"\n    },',
  ]);
  const colours = await page.evaluate(`[...document.querySelectorAll('[data-pointer="/places/0/line"] span')]
    .map((part) => getComputedStyle(part).color)`);
  expect(new Set(z.array(z.string()).parse(colours)).size).toBe(3);
  expect(await placeOf(texts[2] ?? first)).toEqual(['3', '2', '3', null]);
  expect(await violationsOf(page)).toEqual([]);

  // Keys: the end with its brackets, the place around it, and its fold.
  await page.keyboard.press('v');
  await page.keyboard.press('End');
  const end = `/places/${PLACES - 1}`;
  const last = tree.locator(`[data-pointer="${end}/why"]`);
  await soon(() => isSeen(page, `${end}/why`)).toBe(true);
  expect(await last.innerText()).toBe(`      "why": "w ${PLACES - 1}"\n    }\n  ]\n}`);
  await expectFew();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  const around = tree.locator(`[data-pointer="${end}"]`);
  await soon(() => around.getAttribute('aria-expanded')).toBe('false');
  expect(await around.innerText()).toBe('    { … } 3 members\n  ]\n}');
  expect(await last.count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await soon(() => last.count()).toBe(1);

  // Its buttons fold too.
  await page.keyboard.press('Home');
  await tree.getByRole('button', { name: 'Members of places' }).click();
  await soon(() => rows.count()).toBe(1);
  expect(await rows.innerText()).toBe(`{\n  "places": [ … ] ${LISTED} items\n}`);
  await tree.getByRole('button', { name: 'Members of places' }).click();
  await expectFew();
  // The tree has its rows again.
  await page.getByRole('button', { name: 'JSON', exact: true }).press('Enter');
  await soon(() => first.innerText()).toContain(`· ${PLACES}`);
  await soon(() => rows.count()).toBeGreaterThan(10);
  expect(faults).toEqual([]);
});

const PLACE = ['aria-level', 'aria-posinset', 'aria-setsize', 'aria-expanded'] as const;

/** What a screen reader says about the place of a row. */
function placeOf(row: Locator): Promise<readonly (string | null)[]> {
  return Promise.all(PLACE.map((name) => row.getAttribute(name)));
}
