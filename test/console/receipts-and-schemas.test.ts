/** Tests in Chromium: the neighbours of a receipt, the versions of a schema, and schemas without a value. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Page } from 'playwright-core';
import { requestPageView } from '../../packages/client/src/wire/request.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { toZod } from '../../packages/server/src/contract/to-zod.ts';
import type { ListSort } from '../../packages/server/src/contract/run-archive.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { positionOf } from '../../web/src/receipts/receipt-position.ts';
import { goTo, signIn, violationsOf, watchPage } from './console-fixture.ts';
import { layoutFaultsOf } from './layout-faults.ts';
import { packedConsole } from './packed-console.ts';

const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

const suite = packedConsole({
  script: ({ messages }) => {
    const line = JSON.stringify(messages).includes('Refused') ? 'twelve' : 12;
    return reply.toolText(FINALIZER_NAME, JSON.stringify({ output: { line } }));
  },
});
const asked = z.object({ request_id: z.string(), schema_hash: z.string() });
const created = z.object({ chat: z.object({ id: z.string() }), request_id: z.string() });

/** Asks over HTTP, waits for the answer, and returns the receipt. */
async function ask(
  content: string,
  name: string,
  properties: object = {},
): Promise<z.infer<typeof asked> & { readonly path: string }> {
  const { url, token } = suite.server;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const schema = {
    type: 'object',
    properties: { line: { type: 'integer' }, ...properties },
    required: ['line'],
  };
  const response_format = { type: 'json_schema', json_schema: { name, schema } };
  const limits = { max_repairs: 2 };
  const body = JSON.stringify({ content, model: 'local:scripted', response_format, limits });
  const answer = await fetch(`${url}/api/chats`, { method: 'POST', headers, body });
  const { chat, request_id: id } = created.parse(await answer.json());
  const ended = await fetch(`${url}/api/chats/${chat.id}/requests/${id}?wait=30`, { headers });
  return { ...asked.parse(await ended.json()), path: `/chats/${chat.id}/requests/${id}` };
}

/** Waits until the page shows a receipt, and its links are read. */
async function waitForReceipt(page: Page, path: string): Promise<void> {
  await page.waitForURL((url) => url.pathname === path);
  await page.getByRole('navigation', { name: 'Receipts of the list' }).getByRole('link').first().waitFor();
}

it('goes from a receipt to its neighbours in the list, with its filters and order, by keys and after a reload', async () => {
  const { server, browser } = suite;
  const name = 'neighbours';
  const oldest = await ask('The oldest', name);
  const refused = await ask('Refused', name);
  await ask('Another list', 'other_list');
  const newest = await ask('The newest', name);
  const { page, faults } = await watchPage(browser, server, { viewport: { width: 1440, height: 900 } });
  await signIn(page, server, `requests?name=${name}`);
  const rows = page.getByRole('list', { name: 'Receipts' }).getByRole('link');
  await rows.filter({ hasText: 'The newest' }).click();
  await waitForReceipt(page, newest.path);
  const list = page.getByRole('navigation', { name: 'Receipts of the list' });
  expect(await list.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true);
  expect(await violationsOf(page)).toEqual([]);
  await list.getByRole('link', { name: 'Next' }).click();
  // Not the receipt of the other list, which is between them.
  await waitForReceipt(page, refused.path);
  expect(new URL(page.url()).search).toBe(`?name=${name}`);
  await page.keyboard.press('j');
  await waitForReceipt(page, oldest.path);
  expect(await list.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
  await page.reload();
  await waitForReceipt(page, oldest.path);
  await page.keyboard.press('k');
  await waitForReceipt(page, refused.path);
  await page.getByRole('main').getByRole('link', { name: 'Receipts', exact: true }).click();
  await page.waitForURL(`${server.url}/requests?name=${name}`);
  // Most attempts first, then fewest first. The refused one has two.
  await page.getByRole('button', { name: 'Attempts', exact: true }).press('Enter');
  await rows.filter({ hasText: 'Refused' }).click();
  await waitForReceipt(page, refused.path);
  expect(await list.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true);
  await goTo(page, `${refused.path}?name=${name}&sort=attempts.rising`);
  await list.getByRole('link', { name: 'Previous' }).waitFor();
  expect(await list.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
  // A link without a list: all receipts, the newest first.
  await goTo(page, newest.path);
  await list.getByRole('link', { name: 'Next' }).click();
  await page.getByRole('heading', { name: 'Receipt of other_list' }).waitFor();
  await page.keyboard.press('?');
  await page.getByText('Next row, or the receipt after this one').waitFor();
  expect(faults).toEqual([]);
});

it('opens a receipt by its id alone, from the palette', async () => {
  const { server, browser } = suite;
  const { path, request_id: id } = await ask('Which line?', 'pasted');
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server);
  await page.locator('#question').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Page, action, title of a chat, or id' }).fill(id);
  await page.getByRole('option', { name: `Receipt ${id}` }).click();
  await page.waitForURL(`${server.url}${path}`);
  await goTo(page, `requests/${crypto.randomUUID()}`);
  await page.getByRole('alert').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('alert').getByRole('link', { name: 'Show all receipts' }).click();
  await page.waitForURL(`${server.url}/requests`);
  // The answer 404 of the missing request.
  expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
});

it('has a new receipt as the one before the newest, without a reload', async () => {
  const { server, browser } = suite;
  const name = 'growing';
  const first = await ask('The first', name);
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server);
  await goTo(page, `${first.path}?name=${name}`);
  await page.getByRole('heading', { name: 'Receipt of growing' }).waitFor();
  const second = await ask('The second', name);
  await page.getByRole('link', { name: 'Previous' }).click();
  await page.waitForURL((url) => url.pathname === second.path);
  expect(faults).toEqual([]);
});

it.each<ListSort>(['created', 'attempts', 'duration'])(
  'computes the cursor of a receipt as the server gives it, by %s',
  async (sort) => {
    await ask('One', 'cursors');
    await ask('Refused', 'cursors');
    const { url, token } = suite.server;
    const headers = { authorization: `Bearer ${token}` };
    const read = await fetch(`${url}/api/requests?name=cursors&limit=1&sort=${sort}`, { headers });
    const { requests, next } = toZod(requestPageView).parse(await read.json());
    expect(next).toMatch(/^\d+\./u);
    expect(requests.map((each) => positionOf(each, sort))).toEqual([next]);
  },
);

it('has no cursor by cost for a receipt without one', () => {
  const receipt = { request_id: 'r', attempts: [], ended_at: '2026-11-29T00:00:00Z' };
  const tokens = {
    input_tokens: 1,
    output_tokens: 1,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  expect(positionOf({ ...receipt, usage: { ...tokens, cost_usd: 0.25 } }, 'cost')).toBe('250000.r');
  expect(positionOf({ ...receipt, usage: tokens }, 'cost')).toBeUndefined();
});

it('lists the versions of a schema with their rates, and what changed since the one before', async () => {
  const { server, browser } = suite;
  const name = 'versioned';
  // No other name has these schemas.
  const versioned = { type: 'boolean' };
  const first = await ask('Version 1', name, { versioned });
  await ask('Refused', name, { versioned });
  const line = { type: 'integer', minimum: 1 };
  const second = await ask('Version 2', name, { versioned, line, file: { type: 'string' } });
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server, `schemas/${second.schema_hash}`);
  const versions = page.getByRole('region', { name: 'Versions' }).getByRole('listitem');
  await versions.getByText('few, 1 of 1').waitFor();
  expect(await versions.allInnerTexts()).toEqual([
    expect.stringMatching(/this version[^]*1 request[^]*few, 1 of 1/u),
    expect.stringMatching(/2 requests[^]*few, 1 of 2/u),
  ]);
  const changes = page.getByRole('region', { name: 'Changed lines of the schema' });
  await changes.getByText('"minimum"').waitFor();
  const changed = await page.getByRole('region', { name: 'Changes', exact: true }).innerText();
  expect(changed).toContain(`since the version before, ${first.schema_hash.slice(0, 12)}`);
  expect(changed).toContain('"file"');
  expect(await violationsOf(page)).toEqual([]);
  for (const width of [1440, 1024, 768, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await layoutFaultsOf(page)).toEqual([]);
  }
  await versions.getByRole('link').click();
  await page.waitForURL(`${server.url}/schemas/${first.schema_hash}`);
  await versions.getByText('this version').waitFor();
  // The first one has none before it.
  expect(await changes.count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

it('says which part of a schema no value fits, in the editor and in the form', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server, NARROW);
  await signIn(page, server, 'ask');
  const ask = page.getByRole('button', { name: 'Ask', exact: true });
  const crossed =
    '{\n"type": "object",\n"properties": {\n"n": { "type": "integer", "minimum": 5, "maximum": 1 }\n}';
  await page.fill('#schema', `${crossed},\n"required": ["n"]\n}`);
  const refused = page.getByText('/properties/n No JSON value fits here');
  await refused.waitFor();
  expect(await page.getByRole('button', { name: 'line 4' }).isVisible()).toBe(true);
  expect(await ask.isEnabled()).toBe(false);
  // An answer can leave it out, so the server accepts the schema.
  await page.fill('#schema', `${crossed}\n}`);
  const left = '/properties/n No value fits here: its minimum 5 leaves nothing below its maximum 1.';
  await page.getByText(left).waitFor();
  expect(await ask.isEnabled()).toBe(true);
  expect(await violationsOf(page)).toEqual([]);
  await page.fill('#schema', '{"type":"integer","minimum":5,"maximum":1}');
  await page.getByText('No JSON value fits here').waitFor();
  expect(await ask.isEnabled()).toBe(false);
  await page.fill('#schema', '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}');
  await page.getByRole('button', { name: 'Form', exact: true }).click();
  await page.getByRole('spinbutton', { name: 'n: min.' }).fill('5');
  await page.getByRole('spinbutton', { name: 'n: max.' }).fill('1');
  await refused.waitFor();
  expect(await ask.isEnabled()).toBe(false);
  expect(await violationsOf(page)).toEqual([]);
  expect(await layoutFaultsOf(page)).toEqual([]);
  await page.getByRole('spinbutton', { name: 'n: max.' }).fill('10');
  await refused.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'From TypeScript', exact: true }).click();
  await page.fill(
    '#schema',
    'interface Answer {\n  /**\n   * @minimum 5\n   * @maximum 1\n   */\n  n: number;\n}',
  );
  await refused.waitFor();
  expect(faults).toEqual([]);
});
