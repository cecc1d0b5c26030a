/** Tests of the pages of runs in Chromium: the source of an answer, and a live run. */
import { expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { goTo, signIn, violationsOf, watchPage } from './console-fixture.ts';
import { keepSampleRuns, startSampleRun } from './sample-runs.ts';
import { packedConsole } from './packed-console.ts';

const suite = packedConsole({ isRepository: true });

it('shows the characters that an answer of a run came from, and a field of it', async () => {
  const { server, browser, project } = suite;
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server);
  await page.getByRole('link', { name: 'Runs', exact: true }).first().click();
  await page.getByText('There are no runs yet.').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await keepSampleRuns(project, suite.commits);
  await page.reload();
  const rows = page.getByRole('list', { name: 'Runs' }).getByRole('link');
  await rows.first().waitFor();
  expect(await rows.last().innerText()).toContain('Replayed');
  const cells =
    /valid\s+Triage #412\s+severity: "high"[^]*opus\s+2\s+attempts\s+2\s+commits\s+19,408\s+tokens\s+\$0.11\s+41 s/u;
  expect(await rows.first().innerText()).toMatch(cells);
  expect(await violationsOf(page)).toEqual([]);
  await expectOrdered(page, rows);
  await page.getByRole('combobox', { name: 'State' }).selectOption('Failed');
  await page.getByRole('combobox', { name: 'Model' }).selectOption('opus');
  await page.getByRole('searchbox').fill('nightly');
  await page.waitForURL(/\?status=failed&model=opus&q=nightly$/u);
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole('searchbox').fill('none');
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await rows.first().click();
  const parser = page.getByRole('region', { name: 'Changes of src/parser.ts' });
  await parser.waitFor();
  expect((await parser.locator('.diff-added').allInnerTexts()).join('\n')).toMatch(
    /10[^]*i < items[^]*return parsed;/u,
  );
  expect(await parser.locator('mark').allInnerTexts()).toEqual(['<=', '<', '.filter(Boolean)']);
  const hostile = page.getByRole('region', { name: /^Changes of notes/u });
  expect(await hostile.innerText()).toMatch(
    /notes\/<img src=x onerror=[^]*<script>[^]*U\+202Etxet ?U\+0007/u,
  );
  await hostile.getByRole('button', { expanded: true }).press('Enter');
  expect(await hostile.innerText()).not.toContain('<script>');
  expect(await violationsOf(page)).toEqual([]);
  const repeated = page.getByRole('region', { name: 'Repeat with another agent' });
  await repeated.getByRole('combobox').selectOption('codex');
  expect(await repeated.getByRole('group', { name: 'Command' }).innerText()).toMatch(
    /^npx --no truecast run --agent codex -- '/u,
  );
  await page.getByRole('button', { name: 'Split' }).click();
  await parser.locator('.diff-pair').first().waitFor();
  await page.getByRole('button', { name: 'Stop the loop at the last item' }).click();
  await page.getByText('1 file,').waitFor();
  expect(await page.getByRole('region', { name: /^Changes of/u }).count()).toBe(1);
  expect(new URL(page.url()).searchParams.get('commit')).toBe(suite.commits[0]);
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Transcript' }).click();
  const transcript = page.getByRole('region', { name: 'Transcript' });
  await transcript.getByText('× attempt 1: /severity: Expected one of').waitFor();
  await transcript.locator('[data-map]').getByText('✓').waitFor();
  await transcript.getByText('not taken: in prose').waitFor();
  expect(await transcript.locator('#attempt-1').innerText()).toContain('"severity":"hgh"');
  await page.getByRole('button', { name: 'files/1' }).click();
  expect(new URL(page.url()).searchParams.get('field')).toBe('/files/1');
  expect(await transcript.locator('[data-selected]').innerText()).toBe('"test/parser.test.ts"');
  expect(await violationsOf(page)).toEqual([]);
  await transcript
    .locator('#attempt-2')
    .getByText('"severity":"high"')
    .click({ position: { x: 40, y: 30 } });
  expect(await page.locator('main').getByRole('button', { pressed: true }).innerText()).toContain('severity');
  await page.getByRole('button', { name: /^Show [\d,]+ more characters$/u }).click();
  expect(await transcript.innerText()).toContain('<img src=x onerror=');
  const tab = (name: RegExp): Promise<void> => page.getByRole('tab', { name }).click();
  await tab(/^Answer/u);
  expect(await page.getByRole('group', { name: 'Answer as JSON' }).innerText()).toContain('"area": "parser"');
  await tab(/^Environment/u);
  await page.getByText('18,204 in, 1,204 out, $0.11').waitFor();
  await tab(/^Log/u);
  await page.getByText('This run has no events').waitFor();
  await tab(/^Attempts 2/u);
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Show in the transcript' }).first().click();
  await transcript.locator('#attempt-1').waitFor();
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ attempt: '1' });
  expect(faults).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  // Colours change over time. A new page has those of the theme at once.
  await page.reload();
  await transcript.locator('#attempt-1').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  await goTo(page, 'runs/none');
  expect(await page.getByRole('alert').innerText()).toContain('There is no such run.');
});

it('follows a live run to its answer, and says that one was interrupted', async () => {
  const { server, browser, project } = suite;
  const { page, faults } = await watchPage(browser, server);
  startSampleRun(project, true).say('I look.');
  const lists: string[] = [];
  const isList = (url: string): boolean => /\/api\/kept_runs(?:\?|$)/u.test(url);
  page.on('request', (request) => {
    if (isList(request.url())) lists.push(request.url());
  });
  let answered = 0;
  page.on('requestfinished', (request) => {
    if (isList(request.url())) answered += 1;
  });
  await signIn(page, server);
  await page.getByRole('link', { name: 'Runs', exact: true }).first().click();
  const rows = page.getByRole('list', { name: 'Runs' }).getByRole('link');
  await rows.filter({ hasText: 'interrupted' }).waitFor();
  // A read that has not ended could answer with the next run.
  await expect.poll(() => answered).toBe(lists.length);
  // The stream says that the list changed. The page does not read it repeatedly.
  const before = lists.length;
  const live = startSampleRun(project);
  live.say('I read the parser. ');
  await rows.filter({ hasText: /^running/u }).waitFor();
  expect(lists.length).toBe(before + 1);
  await page.getByRole('combobox', { name: 'State' }).selectOption('Running');
  await rows.filter({ hasText: /^running/u }).click();
  const transcript = page.getByRole('region', { name: 'Transcript' });
  await transcript.getByText('I read the parser.').waitFor();
  live.say('The loop ends too late.');
  await transcript.getByText('I read the parser. The loop ends too late.').waitFor();
  live.say('The value of <result> is below. <result>{"severity":"hgh","files":["src/pars');
  const card = page.getByRole('region', { name: 'Answer result' });
  await card.getByText('"src/pars"').waitFor();
  expect(await card.getAttribute('data-state')).toBe('draft');
  expect(await card.innerText()).toMatch(/not validated[^]*severity[^]*"hgh"/u);
  expect(await card.getByRole('treeitem').filter({ hasText: 'area' }).count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  live.say('er.ts"],"area":"parser"}</result>');
  await card.getByRole('treeitem').filter({ hasText: 'area' }).getByText('"parser"').waitFor();
  live.work();
  await expect.poll(() => card.getAttribute('data-state')).toBe('refused');
  const broken = card.getByRole('treeitem').filter({ hasText: 'severity' });
  expect(await broken.innerText()).toMatch(/"hgh"[^]*Expected one of "low", "medium", "high"/u);
  expect(await card.getByRole('list', { name: 'Refused attempts' }).innerText()).toContain(
    'attempt 1: /severity expected one of',
  );
  await transcript.getByText('runs Bash npm test').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Log' }).click();
  const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
  await events.filter({ hasText: 'schema-mismatch' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Attempts 1', exact: true }).click();
  await page.getByText('/severity: Expected one of').waitFor();
  await page.getByRole('tab', { name: 'Transcript' }).click();
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await violationsOf(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  live.say('<result>{"severity":"high","ar');
  await card.getByText('"high"', { exact: true }).waitFor();
  expect(await card.getAttribute('data-state')).toBe('draft');
  await live.end();
  await page.getByText('on attempt 2').waitFor();
  await page.locator('[data-state=valid]').getByText('"high"').waitFor();
  expect(await card.count()).toBe(0);
  expect(faults).toEqual([]);
});

/** Orders the runs by a head: the largest first, the smallest first, and as they came. Both routes have the order. */
async function expectOrdered(page: Page, rows: Locator): Promise<void> {
  const orders: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const order = [searchParams.get('sort'), searchParams.get('direction')].filter((part) => part !== null);
    if (pathname.endsWith('runs') && order.length > 0) orders.push(`${pathname} ${order.join(' ')}`);
  });
  const head = page.getByRole('button', { name: 'Attempts', exact: true });
  await head.press('Enter');
  // The other two required no answer, or failed before one.
  await expect.poll(() => rows.count()).toBe(1);
  await head.press('Enter');
  await page.waitForURL(/\?sort=attempts\.rising$/u);
  await expect
    .poll(() => orders.toSorted())
    .toEqual([
      '/api/kept_runs attempts',
      '/api/kept_runs attempts asc',
      '/api/runs attempts',
      '/api/runs attempts asc',
    ]);
  expect(await violationsOf(page)).toEqual([]);
  await head.press('Enter');
  await expect.poll(() => rows.count()).toBe(3);
}
