/** Tests of the pages of durable runs in Chromium: queued, running, stopped, failed and retried. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { git } from '../run/fixture.ts';
import { worktreeOf } from '../server/run-world.ts';
import { goTo, signIn, violationsOf, watchPage } from './console-fixture.ts';
import { AGENT, ASKING, createRun, endedRun } from './durable-runs.ts';
import { layoutFaultsOf } from './layout-faults.ts';
import { openChat } from './open-chat.ts';
import { packedConsole } from './packed-console.ts';

const suite = packedConsole({
  hasRuns: true,
  delegates: true,
  agent: AGENT,
  script: ({ lastToolResult }) =>
    lastToolResult === undefined
      ? reply.tool('run_coding_agent', { agent: 'claude-code', task: 'Triage issue 415 slowly.' })
      : reply.text('It was stopped.'),
});

const SENTENCE = /\/severity expected one of .*, got "hgh"\s*· 2 attempts/u;

it('shows a run that waits, follows it while it runs, and stops it', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server);
  await page.getByRole('link', { name: 'Runs', exact: true }).first().click();
  await page.getByText('There are no runs yet.').waitFor();
  const lists: string[] = [];
  page.on('request', (request) => {
    if (/\/api\/runs(?:\?|$)/u.test(request.url())) lists.push(request.url());
  });
  const rows = page.getByRole('list', { name: 'Runs' }).getByRole('link');
  const running = await createRun(server, 'Triage issue 412 slowly.');
  await rows.filter({ hasText: /^running[^]*The agent works\./u }).waitFor();
  const waiting = await createRun(server, 'Triage issue 413 slowly.', { priority: 2 });
  await rows.filter({ hasText: /^queued[^]*its repository has reached its limit/u }).waitFor();
  // The agent's text is stored several times a second. The list is read once for each new state.
  const changes = ['queued', 'preparing', 'working', 'queued'].length;
  expect(lists.length).toBeLessThanOrEqual(changes);
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Queued runs' }).click();
  await expect.poll(() => rows.count()).toBe(1);
  await rows.filter({ hasText: 'Triage issue 413' }).click();
  await page.getByRole('region', { name: 'Queue' }).getByText('Priority 2').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  const waitingPage = await page.context().newPage();
  await waitingPage.goto(`${server.url}/runs/${waiting}`);
  await waitingPage.getByRole('region', { name: 'Queue' }).waitFor();

  await goTo(page, `runs/${running}`);
  const transcript = page.getByRole('region', { name: 'Transcript' });
  await transcript.getByText('The loop ends one item too late.').waitFor();
  await transcript.getByText('I committed a first fix').waitFor();
  await page.getByText(/^\d:\d\d$/u).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Log' }).click();
  const events = page.getByRole('list', { name: 'Events' });
  await events.getByText('npm test -- parser').waitFor();
  await events.getByText('execution 1').waitFor();
  await page.getByRole('tab', { name: 'Transcript' }).click();
  await page.keyboard.press('s');
  await page.getByRole('dialog', { name: 'Stop this run?' }).getByText('Its commits stay').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('canceled', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Retry' }).waitFor();
  await page.getByRole('region', { name: 'Commits' }).getByRole('listitem').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Environment' }).click();
  await page.getByRole('region', { name: 'Executions' }).getByText('stopped the agent').waitFor();
  expect(await violationsOf(page)).toEqual([]);

  // The other one starts, and its page shows that.
  await waitingPage.getByText('The loop ends one item too late.').waitFor();
  await waitingPage.route('**/cancel', (route) =>
    route.fulfill({
      status: 409,
      json: { code: 'not_allowed', status: 409, title: 'Conflict', detail: 'Its answer is accepted.' },
    }),
  );
  await waitingPage.getByRole('button', { name: 'Stop' }).click();
  expect(await waitingPage.getByRole('alert').innerText()).toContain('Its answer is accepted.');
  await waitingPage.unroute('**/cancel');
  await waitingPage.getByRole('button', { name: 'Stop' }).click();
  await waitingPage.getByText('canceled', { exact: true }).first().waitFor();
  expect(await waitingPage.getByRole('alert').count()).toBe(0);
  expect(faults).toEqual([]);
});

it('shows the answer of a live run as it grows, its refusal, and the next draft, until it is sealed', async () => {
  const { server, browser, repository = '' } = suite;
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server);
  const id = await createRun(server, 'Triage issue 416 in pieces.', { tag: 'result' });
  const go = (): void => writeFileSync(join(worktreeOf(repository, `truecast/runs/${id}`), 'go'), '');
  await goTo(page, `runs/${id}`);
  await page.getByRole('region', { name: 'Transcript' }).getByText('The loop ends one item').waitFor();
  const card = page.getByRole('region', { name: 'Answer triage' });
  const state = (): Promise<string | null> => card.getAttribute('data-state');
  const field = (name: string): Locator => card.getByRole('treeitem').filter({ hasText: name });
  expect(await state()).toBe('waiting');
  expect(await field('files').innerText()).toContain('list of text');
  go();
  await field('area').getByText('"par"').waitFor();
  expect(await state()).toBe('draft');
  await card.getByText('not validated · 2 of 3 fields').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  go();
  await field('area').getByText('"parser"').waitFor();
  go();
  await expect.poll(state).toBe('refused');
  expect(await field('severity').innerText()).toMatch(/"hgh"[^]*Expected one of "low", "medium", "high"$/u);
  await card.getByText('/severity expected one of "low", "medium", "high", got "hgh"').waitFor();
  for (const width of [1440, 1024, 768, 390]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await violationsOf(page)).toEqual([]);
    expect(await layoutFaultsOf(page)).toEqual([]);
  }
  go();
  await field('severity').getByText('"hi"').waitFor();
  expect(await state()).toBe('draft');
  expect(await layoutFaultsOf(page)).toEqual([]);
  go();
  await card.getByText('3 of 3 fields').waitFor();
  go();
  await page.getByText('on attempt 2').waitFor();
  await page.locator('[data-state=valid]').getByText('"high"').waitFor();
  expect(await card.count()).toBe(0);
  expect(faults).toEqual([]);
});

it('says why a run failed in one sentence, and retries it to a valid answer', async () => {
  const { server, browser, repository = '' } = suite;
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server);
  const failed = await createRun(server, 'Triage issue 414.');
  await goTo(page, 'runs');
  const rows = page.getByRole('list', { name: 'Runs' }).getByRole('link');
  const row = rows.filter({ hasText: /^failed[^]*Triage issue 414/u });
  await row.waitFor();
  expect(await row.innerText()).toMatch(SENTENCE);
  await row.click();
  const failure = page.getByRole('region', { name: 'Failure' });
  await failure.waitFor();
  expect((await failure.innerText()).replaceAll('\n', '')).toMatch(SENTENCE);
  expect(await failure.innerText()).toContain('Then change the prompt or the schema');
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await violationsOf(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  writeFileSync(join(repository, 'fixed'), '');
  git(repository, 'add', 'fixed');
  git(repository, 'commit', '-q', '-m', 'fix');
  await page.keyboard.press('r');
  await page.getByRole('button', { name: 'Retry the run' }).click();
  await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(failed));
  await page.getByText('on attempt 1').waitFor();
  await page.getByRole('region', { name: 'Answer' }).getByText('"high"').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Answer' }).click();
  await page.getByText('checked by the server again').waitFor();
  await page.getByRole('tab', { name: 'Transcript' }).click();
  await page.getByRole('region', { name: 'Related runs' }).getByRole('link').press('Enter');
  await failure.waitFor();
  await page.getByRole('link', { name: /^Repeated by/u }).waitFor();
  // The number alone can also be in the id of another run, and so in its branch.
  await goTo(page, 'runs?q=issue%20414');
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByRole('checkbox', { name: 'Select Triage issue 414.' }).first().check();
  await page.getByRole('checkbox', { name: 'Select Triage issue 414.' }).last().check();
  await page.getByRole('link', { name: 'Compare', exact: true }).last().click();
  await page.getByText('valid at attempt 1').first().waitFor();
  await goTo(page, 'runs/none');
  expect(await page.getByRole('alert').innerText()).toContain('There is no such run.');
  expect(faults).toEqual(['Failed to load resource: the server responded with a status of 404 (Not Found)']);
});

it('shows the question of a run with its changes, and continues it with the answer, once', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server);
  const asking = await createRun(server, 'End the loop earlier, and ask.', { response_format: ASKING });
  await endedRun(server, asking);
  await goTo(page, `runs/${asking}`);
  const question = page.getByRole('region', { name: 'Question of the agent' });
  await question.getByText('Which one may change its result?').waitFor();
  const changes = page.getByRole('region', { name: 'Changes of loop.txt' });
  await changes.waitFor();
  expect(await changes.locator('.diff-added').allInnerTexts()).toHaveLength(2);
  await page.getByRole('region', { name: 'Commits' }).getByText('end the loop earlier').waitFor();
  expect(await page.getByRole('region', { name: 'Merge' }).innerText()).toContain(
    `git merge truecast/runs/${asking}`,
  );
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download changes.patch' }).press('Enter');
  const patch = await (await saving).path();
  expect(readFileSync(patch, 'utf8')).toContain('+while i < items');
  expect(await violationsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await violationsOf(page)).toEqual([]);
  expect(await layoutFaultsOf(page)).toEqual([]);
  await question.getByRole('button', { name: 'Both' }).press('Enter');
  await page.getByLabel('Your answer').press('Control+Enter');
  await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(asking));
  await page.getByText('"The loop ends earlier."').waitFor();
  await page.getByRole('link', { name: /^Continues/u }).press('Enter');
  await page.getByRole('link', { name: /^Continued by/u }).waitFor();
  await question.getByText('This one would be a fork').waitFor();
  expect(await page.getByRole('checkbox', { name: 'On a new branch' }).isDisabled()).toBe(true);

  await goTo(page, `runs/${asking}`);
  await page.getByRole('link', { name: /^Continued by/u }).press('Enter');
  await page.getByText('"The loop ends earlier."').waitFor();
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('c');
  await page.getByLabel('Next task').fill('Test it.');
  await page.getByRole('checkbox', { name: 'On a new branch' }).press('Space');
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Continue the run' }).press('Enter');
  await page.getByRole('link', { name: /^Is a fork of/u }).waitFor();
  expect(faults).toEqual([]);
});

it('links the tool call of a chat to its run, while the agent works and after it failed', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  await openChat(page, server, 'Delegate it.');
  const link = page.getByRole('link', { name: 'Triage issue 415 slowly.' });
  await link.waitFor();
  const call = page.getByRole('paragraph').filter({ has: link });
  await call.getByText('running', { exact: true }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await link.press('Enter');
  await page.waitForURL((url) => url.pathname.startsWith('/runs/'));
  await page.getByRole('region', { name: 'Transcript' }).getByText('I committed a first fix').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('canceled', { exact: true }).first().waitFor();
  await page.goBack();
  await page.getByText('It was stopped.').waitFor();
  await call.getByText('canceled', { exact: true }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await layoutFaultsOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});
