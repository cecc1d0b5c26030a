/** Tests in Chromium: failures in the lists, each told from the others, found by filters, and asked again. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { FORM, matrixColumns } from '../matrix.ts';
import { goTo, signIn, violationsOf, watchPage } from './console-fixture.ts';
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
/** A day of work, or its short form: more than one page of a list, or each kind of failure once. */
const [CHATS, FAILED] = FORM === 'whole' ? [260, 55] : [13, FAILURES.length];
/** Whether a chat is one that fails. They are spread over all pages. */
const FAILING = Array.from({ length: CHATS }, (_, at) => (at * FAILED) % CHATS < FAILED);
const QUESTIONS = FAILING.map((fails, at) => {
  const before = FAILING.slice(0, at).filter(Boolean).length;
  const [question] = fails ? (FAILURES[before % FAILURES.length] ?? []) : ['Valid?'];
  return `${question} Case ${at}.`;
});
const lineOf = (asked: string): string | undefined =>
  FAILURES.find(([question]) => asked.startsWith(question))?.[2];
const FAILED_QUESTIONS = QUESTIONS.filter((asked) => lineOf(asked) !== undefined);

const suite = packedConsole({
  script: ({ messages }) => {
    const asked = JSON.stringify(messages);
    const [, output = valid] = FAILURES.find(([question]) => asked.includes(question)) ?? [];
    return reply.toolText(FINALIZER_NAME, JSON.stringify({ output }));
  },
});
/** Chats that are created at the same time. */
const TOGETHER = 10;
const created = z.object({ chat: z.object({ id: z.string() }), request_id: z.string() });

beforeAll(async () => {
  const { url, token } = suite.server;
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
  };
  const ask = async (content: string): Promise<void> => {
    const labels = { kind: lineOf(content) === undefined ? 'valid' : 'failed' };
    const body = { content, labels, model: 'local:scripted', response_format, limits: { max_repairs: 2 } };
    const answer = await fetch(`${url}/api/chats`, { method: 'POST', headers, body: JSON.stringify(body) });
    const { chat, request_id: id } = created.parse(await answer.json());
    await fetch(`${url}/api/chats/${chat.id}/requests/${id}?wait=30`, { headers });
  };
  for (let at = 0; at < CHATS; at += TOGETHER) {
    await Promise.all(QUESTIONS.slice(at, at + TOGETHER).map(ask));
  }
}, 240_000);

/** A busy machine. */
const LOADED = { timeout: 30_000 };
const LISTS = ['chats', 'requests'];
/** Rows of a list before `Show older`. */
const PAGE_SIZE = 100;
const SCREENS = [
  { viewport: { width: 1440, height: 900 } },
  { viewport: { width: 768, height: 1024 } },
  { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
] as const;

/** Reads a whole list, as a person scrolls: a long list has only its visible rows in the document. */
async function readList(page: Page): Promise<ReadonlyMap<string, Row>> {
  const rows = new Map<string, Row>();
  const more = page.getByRole('button', { name: /^Show older/u });
  await page.getByRole('main').getByRole('listitem').first().waitFor();
  while ((await more.count()) > 0) {
    const last = await page.evaluate(LAST);
    await more.click();
    await expect.poll(() => page.evaluate(LAST), LOADED).not.toBe(last);
  }
  await page.evaluate('scrollTo(0, 0)');
  for (let isEnd = false; !isEnd; isEnd = (await page.evaluate(SCROLL_ON)) === true) {
    for (const row of found.parse(await page.evaluate(READ_ROWS))) rows.set(row.href, row);
  }
  return rows;
}

const found = z.array(z.object({ href: z.string(), text: z.string(), failure: z.string().nullable() }));
type Row = z.infer<typeof found>[number];
const READ_ROWS = `[...document.querySelectorAll('main li:has(a)')].map((row) => ({
  href: row.querySelector('a').href,
  text: row.textContent,
  failure: row.querySelector('[data-failure]')?.textContent ?? null,
}))`;
/** Scrolls on, and draws the rows there. Returns true if the page was at its end. */
const SCROLL_ON = `new Promise((resolve) => {
  const isEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
  scrollBy({ top: innerHeight / 2, behavior: 'instant' });
  requestAnimationFrame(() => setTimeout(() => resolve(isEnd), 0));
})`;
/** The last row that is in the document. */
const LAST = `[...document.querySelectorAll('main li a')].at(-1)?.href`;

it.each(SCREENS)('shows each failure with its own line and question in both lists, on %o', async (screen) => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server, screen);
  await signIn(page, server);
  await page.waitForSelector('#question');
  const row = SCREENS.indexOf(screen);
  for (const list of matrixColumns(row, LISTS, { rows: SCREENS.length, stride: 2 })) {
    for (const query of ['', '?status=failed']) {
      await goTo(page, `${list}${query}`);
      const rows = [...(await readList(page)).values()];
      expect(rows).toHaveLength(query === '' ? CHATS : FAILED);
      const failed = rows.filter(({ failure }) => failure !== null);
      expect(failed).toHaveLength(FAILED);
      // Two lines are the same only if the place and the value are.
      for (const asked of FAILED_QUESTIONS) {
        const [row, ...others] = failed.filter(({ text }) => text.includes(asked));
        expect([others, row?.failure]).toEqual([[], lineOf(asked)]);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
      // The next list begins without the rows of this one.
      await goTo(page, '');
      await page.waitForSelector('#question');
    }
  }
  expect(faults).toEqual([]);
});

it('filters both lists by label and date, and keeps the filters in the address', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server);
  await page.waitForSelector('#question');
  for (const list of LISTS) {
    await goTo(page, list);
    const rows = page.getByRole('main').getByRole('listitem');
    await expect.poll(() => rows.count(), LOADED).toBe(Math.min(CHATS, PAGE_SIZE));
    await page.getByLabel('Label, as KEY:VALUE').fill('kind:valid');
    await expect.poll(() => rows.count(), LOADED).toBe(Math.min(CHATS - FAILED, PAGE_SIZE));
    await page.getByLabel('Date').selectOption('Last 7 days');
    await page.getByLabel('State').selectOption(list === 'chats' ? 'Answer failed' : 'Failed');
    await page.getByText(/No (?:chat|receipt) matches these filters\./u).waitFor();
    const filters = [...new URL(page.url()).searchParams].map((each) => each.join('='));
    expect(filters.toSorted()).toEqual(['days=7', 'label=kind:valid', 'status=failed']);
  }
  expect(faults).toEqual([]);
});

it.each(matrixColumns(0, LISTS, { rows: 2 }))(
  'orders %s on the server, and shows the filters of a narrow page on request',
  async (list) => {
    const { server, browser } = suite;
    const { page, faults } = await watchPage(browser, server, SCREENS[0]);
    await signIn(page, server, list);
    const rows = page.getByRole('main').getByRole('listitem');
    for (const [direction, title] of [
      ['desc', FAILED_QUESTIONS],
      ['asc', QUESTIONS.filter((asked) => lineOf(asked) === undefined)],
    ] as const) {
      // The list can be read again in the order before, beside the new one.
      const sorted = page.waitForResponse(
        (response) =>
          response.url().includes('sort=attempts') &&
          response.url().includes('direction=asc') === (direction === 'asc'),
      );
      await page.getByRole('button', { name: 'Attempts' }).click();
      await sorted;
      // Failures had two attempts, and answers one.
      await expect
        .poll(async () => {
          const shown = await rows.first().innerText();
          return title.some((asked) => shown.includes(asked));
        }, LOADED)
        .toBe(true);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await goTo(page, list);
    const order = page.getByLabel('Order');
    await rows.first().waitFor();
    expect(await order.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await order.selectOption('Slowest first');
    await page.getByRole('button', { name: 'Filters · 1' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    // A scripted model has no prices.
    await goTo(page, `${list}?sort=cost`);
    await page.getByText(/No (?:receipt|answer) of this list has a known cost\./u).waitFor();
    expect(faults).toEqual([]);
  },
);

it.each(matrixColumns(1, LISTS, { rows: 2 }))(
  'asks again with another model in three clicks from %s',
  async (list) => {
    const { server, browser } = suite;
    const { page, faults } = await watchPage(browser, server);
    await signIn(page, server);
    await page.waitForSelector('#question');
    // Each failure of the whole form from one of the lists, and one of each in the short form.
    const asked =
      FORM === 'whole'
        ? FAILED_QUESTIONS.filter((_, at) => at % 2 === LISTS.indexOf(list))
        : ['Which word? Case 0.'];
    for (const question of asked) {
      await goTo(page, `${list}?status=failed`);
      const row = page.getByRole('main').getByRole('listitem').filter({ hasText: question });
      await row.getByRole('link').first().click();
      const again = page.getByRole('group', { name: 'Run again' });
      await again.getByLabel('Model of the next run').selectOption('scripted:demo');
      if (question === asked[0]) expect(await violationsOf(page)).toEqual([]);
      await again.getByRole('button', { name: 'Run again' }).click();
      await page.waitForSelector('[data-state=valid]');
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(question);
    }
    expect(faults).toEqual([]);
  },
);
