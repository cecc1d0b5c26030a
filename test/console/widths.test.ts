/**
 * Test in Chromium: no text is over its box and no title is cut short at four widths (in the short form, two for each page),
 * on the pages with the most text.
 */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { matrixColumns } from '../matrix.ts';
import { goTo, signIn, violationsOf, watchPage } from './console-fixture.ts';
import { layoutFaultsOf } from './layout-faults.ts';
import { packedConsole } from './packed-console.ts';
import { keepSampleRuns } from './sample-runs.ts';

const WIDTHS = [1440, 1024, 768, 390];
const LONG = 'Which of the 214 files of the importer has the bug, since when, and who reviewed it? '.repeat(
  2,
);
const UNBROKEN = 'packages/importer/src/'.repeat(12);
const schema = {
  type: 'object',
  properties: { file: { type: 'string' }, line: { type: 'integer' }, why: { type: 'string' } },
  required: ['file', 'line', 'why'],
  additionalProperties: false,
};

const suite = packedConsole({
  isRepository: true,
  script: ({ messages }) => {
    const line = JSON.stringify(messages).includes('Refused') ? UNBROKEN : 42;
    const places = JSON.stringify(messages).includes('Places') ? { places: [{ line: 7 }, { line: 9 }] } : {};
    const output = { ...places, file: UNBROKEN, line, why: `${LONG}\n${UNBROKEN}` };
    return reply.toolText(FINALIZER_NAME, JSON.stringify({ output }));
  },
});
const created = z.object({ chat: z.object({ id: z.string() }), request_id: z.string() });

/** Asks over HTTP, waits for the answer, and returns the paths of chat and receipt. */
async function ask(
  content: string,
  name = 'bug_of_the_importer',
  asked: object = schema,
): Promise<readonly [chat: string, receipt: string]> {
  const { url, token } = suite.server;
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
  };
  const response_format = { type: 'json_schema', json_schema: { name, schema: asked } };
  const body = JSON.stringify({
    content,
    model: 'local:scripted',
    response_format,
    limits: { max_repairs: 2 },
  });
  const answer = await fetch(`${url}/api/chats`, { method: 'POST', headers, body });
  const { chat, request_id: id } = created.parse(await answer.json());
  await fetch(`${url}/api/chats/${chat.id}/requests/${id}?wait=30`, { headers });
  return [`chats/${chat.id}`, `chats/${chat.id}/requests/${id}`];
}

function idOf(receipt: string): string {
  return receipt.split('/').at(-1) ?? '';
}

it('has no text over its box and no title under 160 pixels at four widths', async () => {
  const { server, browser, project } = suite;
  const [valid, receipt] = await ask(LONG);
  const [refused, refusedReceipt] = await ask(`Refused. ${LONG} ${UNBROKEN}`);
  const run = await keepSampleRuns(project, suite.commits);
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server);
  await page.getByRole('link', { name: 'Runs', exact: true }).first().waitFor();
  const lists = ['chats', 'requests', 'runs', 'quality', 'stage'];
  const compared = `compare?requests=${[receipt, refusedReceipt].map(idOf).join(',')}`;
  const pages = [
    '',
    'ask',
    valid,
    refused,
    receipt,
    compared,
    'compare',
    `runs/${run}`,
    `runs/${run}?tab=transcript`,
    `runs/${run}?tab=attempts`,
    'settings',
    'docs',
    ...lists,
  ];
  const found: string[] = [];
  await page.setViewportSize({ width: 1440, height: 900 });
  for (const [row, path] of pages.entries()) {
    await goTo(page, path);
    await page.locator('#page > div > *:visible').first().waitFor();
    // Settings have one for each part.
    const loading = page.getByRole('status', { name: 'Loading' });
    await expect.poll(() => loading.count(), { timeout: 30_000 }).toBe(0);
    const rows = page.getByRole('main').getByRole('listitem');
    if (lists.slice(0, 3).includes(path)) await rows.first().waitFor();
    for (const width of matrixColumns(row, WIDTHS, { rows: pages.length, stride: 2 })) {
      await page.setViewportSize({ width, height: 900 });
      for (const fault of await layoutFaultsOf(page)) found.push(`/${path} at ${width}: ${fault}`);
    }
  }
  expect(found).toEqual([]);
  expect(faults).toEqual([]);
});

it('orders and chooses receipts, compares them side by side, and opens the link in a new tab', async () => {
  const { server, browser } = suite;
  // Other tests ask too, and can be repeated.
  const name = `compared_${randomUUID().slice(0, 8)}`;
  await ask('Which file?', name);
  await ask('Refused. Which file?', name);
  const { page, faults } = await watchPage(browser, server, { viewport: { width: 1440, height: 900 } });
  await signIn(page, server);
  await page.getByRole('link', { name: 'Receipts', exact: true }).first().waitFor();
  await goTo(page, `requests?name=${name}`);
  const bar = page.getByRole('toolbar', { name: 'Filter by time' }).getByRole('button').last();
  await bar.press('Enter');
  await page.waitForURL(/since=.+&until=/u);
  const failed = page.getByRole('button', { name: 'Failed answers 1' });
  await failed.waitFor({ state: 'detached' });
  await bar.press('Enter');
  await failed.waitFor();
  await page.getByRole('button', { name: 'Attempts', exact: true }).press('Enter');
  const rows = page.getByRole('list', { name: 'Receipts' }).getByRole('listitem');
  expect(await rows.first().innerText()).toContain('failed');
  await page.getByRole('button', { name: 'Attempts', exact: true }).press('Enter');
  await expect.poll(() => rows.first().innerText()).toContain('valid');
  await page.getByRole('checkbox', { name: 'Select all rows' }).press('Space');
  expect(await page.getByRole('region', { name: 'Selection' }).innerText()).toContain('2 selected');
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'Compare', exact: true }).last().press('Enter');
  const table = page.getByRole('table', { name: 'Compared answers' });
  await table.getByText('refused 2 times').waitFor();
  expect(await page.getByRole('status').innerText()).toContain('1 of 2 are valid. 1 of 3 fields differ.');
  expect(await table.getByRole('row').nth(1).innerText()).toMatch(/^file\s+text[^]+same$/u);
  expect(await table.getByRole('row').nth(2).innerText()).toContain('expected integer');
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Differences 1' }).press('Enter');
  await expect.poll(() => table.getByText('same', { exact: true }).count()).toBe(0);
  const tab = await page.context().newPage();
  await tab.goto(page.url());
  await tab.getByRole('table', { name: 'Compared answers' }).getByText('refused 2 times').waitFor();
  await page.getByRole('button', { name: 'Add model' }).press('Enter');
  await page.getByRole('checkbox', { name: 'scripted:demo' }).press('Space');
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Ask 1 model' }).press('Enter');
  await table.getByText('valid at attempt 2').waitFor();
  expect(await table.getByRole('columnheader').count()).toBe(4);
  expect(faults).toEqual([]);
});

it('hides the members of a list in a final value', async () => {
  const { server, browser } = suite;
  const item = { type: 'object', properties: { line: { type: 'integer' } } };
  const properties = { ...schema.properties, places: { type: 'array', items: item } };
  const [, receipt] = await ask('Places?', 'places', { ...schema, properties });
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server, receipt);
  const value = page.getByRole('group', { name: 'Value of places' });
  const list = value.getByRole('button', { name: /^Members of places:.* 2$/u });
  await list.waitFor();
  expect(await value.getByRole('button', { name: /^Members of \d:/u }).count()).toBe(2);
  await list.press('Enter');
  expect(await value.getByRole('button', { name: /^Members of \d:/u }).count()).toBe(0);
  expect(await list.getAttribute('aria-expanded')).toBe('false');
  const find = page.getByRole('button', { name: 'Find', exact: true });
  await find.press('Enter');
  await page.getByRole('searchbox', { name: 'Find in the value' }).fill('places/1');
  await value.getByText('Match 1 of 1: /places/1/line').waitFor();
  const hit = value.locator('[data-hit]');
  expect(await hit.allInnerTexts()).toEqual([expect.stringMatching(/^line\s*\?\s+9\s+whole number$/u)]);
  // The match was folded away.
  expect(await list.getAttribute('aria-expanded')).toBe('true');
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('searchbox', { name: 'Find in the value' }).fill('no such text');
  await value.getByText('No field matches.').waitFor();
  await find.press('Enter');
  await list.waitFor();
  expect(await violationsOf(page)).toEqual([]);
  // As JSON, with a text that has no place to break.
  await page.getByRole('button', { name: 'JSON', exact: true }).press('Enter');
  await value.getByText('"places"').waitFor();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    expect(await layoutFaultsOf(page)).toEqual([]);
  }
  expect(await violationsOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

it('has no empty item in a transcript', async () => {
  const { server, browser } = suite;
  const [chat] = await ask('Refused. Which file?');
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server, chat);
  const items = page.getByRole('list', { name: 'Transcript' }).getByRole('listitem');
  await items.filter({ hasText: 'refused' }).first().waitFor();
  expect((await items.allInnerTexts()).filter((text) => text.trim() === '')).toEqual([]);
  expect(faults).toEqual([]);
});

it('collapses the sidebar to icons with names, and has a drawer at 390 pixels', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server, { viewport: { width: 1024, height: 900 } });
  await signIn(page, server);
  const link = page.getByRole('link', { name: 'Receipts', exact: true }).first();
  await link.waitFor();
  expect((await link.boundingBox())?.width).toBeLessThan(60);
  expect(await violationsOf(page)).toEqual([]);
  await link.focus();
  await link.locator('.side-tip').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Menu' }).press('Enter');
  const drawer = page.getByRole('dialog', { name: 'All pages' });
  await drawer.getByRole('link', { name: 'Quality' }).press('Enter');
  await page.getByRole('heading', { name: 'Quality' }).waitFor();
  expect(await drawer.count()).toBe(0);
  expect(faults).toEqual([]);
});
