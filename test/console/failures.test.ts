/** Tests in Chromium: failures in the lists, each told from the others, found by filters, and asked again. */
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { violationsOf, watchPage } from './console-fixture.ts';
import { packedConsole } from './packed-console.ts';

const schema = {
  type: 'object',
  properties: { file: { type: 'string' }, line: { type: 'integer', minimum: 1 }, why: { type: 'string' } },
  required: ['file', 'line', 'why'],
  additionalProperties: false,
};
const response_format = { type: 'json_schema', json_schema: { name: 'bug', schema } };
const valid = { file: 'src/loop.ts', line: 42, why: 'The loop runs once too often.' };
/** Answers that are refused each time, and what their line says. */
const FAILURES: readonly (readonly [question: string, output: unknown, line: string])[] = [
  ['Which word?', { ...valid, line: 'twelve' }, '/line expected integer, got "twelve" · 2 attempts'],
  ['Which dozen?', { ...valid, line: 'a dozen' }, '/line expected integer, got "a dozen" · 2 attempts'],
  ['Which negative?', { ...valid, line: -3 }, '/line expected at least 1, got -3 · 2 attempts'],
  ['Which list?', { ...valid, line: [1, 2] }, '/line expected integer, got [1,2] · 2 attempts'],
  ['Which key?', { ...valid, extra: 1 }, '/extra unexpected property, got 1 · 2 attempts'],
  ['Which reason?', { ...valid, why: 7 }, '/why expected string, got 7 · 2 attempts'],
  // The field that is missing, not the object that lacks it.
  ['Which part?', { file: 'a', line: 1 }, '/why is missing · 2 attempts'],
];
const VALID_CHATS = 12;

const suite = packedConsole({
  script: ({ messages }) => {
    const asked = JSON.stringify(messages);
    const [, output = valid] = FAILURES.find(([question]) => asked.includes(question)) ?? [];
    return reply.toolText(FINALIZER_NAME, JSON.stringify({ output }));
  },
});
const created = z.object({ chat: z.object({ id: z.string() }), request_id: z.string() });

beforeAll(async () => {
  const { url, link } = suite.server;
  const headers = {
    authorization: `Bearer ${link.split('=').at(-1)}`,
    'content-type': 'application/json',
  };
  const questions = [
    ...FAILURES.map(([question]) => question),
    ...Array.from({ length: VALID_CHATS }, (_, at) => `Valid ${at}?`),
  ];
  for (const content of questions) {
    const labels = { kind: content.startsWith('Valid') ? 'valid' : 'failed' };
    const body = { content, labels, model: 'local:scripted', response_format, limits: { max_repairs: 2 } };
    const answer = await fetch(`${url}/api/chats`, { method: 'POST', headers, body: JSON.stringify(body) });
    const { chat, request_id: id } = created.parse(await answer.json());
    await fetch(`${url}/api/chats/${chat.id}/requests/${id}?wait=30`, { headers });
  }
}, 240_000);

/** A busy machine. */
const LOADED = { timeout: 30_000 };
const LISTS = ['chats', 'requests'];
const SCREENS = [
  {},
  { viewport: { width: 768, height: 1024 } },
  { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
] as const;

it.each(SCREENS)('shows each failure with its own line and question in both lists, on %o', async (screen) => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server, screen);
  await page.goto(server.link);
  await page.waitForSelector('#question');
  for (const list of LISTS) {
    for (const query of ['', '?status=failed']) {
      await page.goto(`${server.url}/${list}${query}`);
      const rows = page
        .getByRole('main')
        .getByRole('listitem')
        .filter({ has: page.locator('[data-failure]') });
      await expect.poll(() => rows.count(), LOADED).toBe(FAILURES.length);
      const texts = await rows.locator('[data-failure]').allTextContents();
      expect(texts.toSorted()).toEqual(FAILURES.map(([, , line]) => line).toSorted());
      for (const [question, , line] of FAILURES) {
        expect(await rows.filter({ hasText: question }).textContent()).toContain(line);
      }
      const shown = await page.getByRole('main').getByRole('listitem').count();
      expect(shown).toBe(FAILURES.length + (query === '' ? VALID_CHATS : 0));
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
    }
  }
  expect(faults).toEqual([]);
  await page.context().close();
});

it('filters both lists by label and date, and keeps the filters in the address', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  await page.goto(server.link);
  await page.waitForSelector('#question');
  for (const list of LISTS) {
    await page.goto(`${server.url}/${list}`);
    const rows = page.getByRole('main').getByRole('listitem');
    await expect.poll(() => rows.count(), LOADED).toBe(FAILURES.length + VALID_CHATS);
    await page.getByLabel('Label, as KEY:VALUE').fill('kind:valid');
    await expect.poll(() => rows.count(), LOADED).toBe(VALID_CHATS);
    await page.getByLabel('Date').selectOption('Last 7 days');
    await page.getByLabel('State').selectOption(list === 'chats' ? 'Answer failed' : 'Failed');
    await page.getByText(/No (?:chat|receipt) matches these filters\./u).waitFor();
    expect(new URL(page.url()).search).toBe('?label=kind%3Avalid&days=7&status=failed');
  }
  expect(faults).toEqual([]);
  await page.context().close();
});

it.each(LISTS)('asks again with another model in three clicks from %s', async (list) => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  await page.goto(server.link);
  await page.waitForSelector('#question');
  await page.goto(`${server.url}/${list}?status=failed`);
  await page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ hasText: 'Which word?' })
    .getByRole('link')
    .click();
  const again = page.getByRole('group', { name: 'Run again' });
  await again.getByLabel('Model of the next run').selectOption('scripted:demo');
  expect(await violationsOf(page)).toEqual([]);
  await again.getByRole('button', { name: 'Run again' }).click();
  await page.waitForSelector('[data-state=valid]');
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Which word?');
  expect(faults).toEqual([]);
  await page.context().close();
});
