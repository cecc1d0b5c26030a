/** Tests of the API reference, the settings, the keyboard and the stage in Chromium. */
import { expect, it } from 'vitest';
import { ROUTES } from '../../packages/server/src/http/routes/all-routes.ts';
import { FORM, itWhole, matrixRuns } from '../matrix.ts';
import { goTo, signIn, violationsOf, watchPage } from './console-fixture.ts';
import { appendEvents, appendSampleRun, SAMPLE_END, SAMPLE_START } from './sample-ledger.ts';
import { packedConsole } from './packed-console.ts';

const suite = packedConsole();

/** axe takes nine seconds of processor time for the 25,000 elements of all operations. Those with a response stay. */
const REMOVE_OTHERS = `document.querySelectorAll('section[id]:not(#createChat, #streamChat)')
  .forEach((section) => section.remove())`;

it('shows every operation without a token, finds one by a word, and has an anchor for each', async () => {
  const narrow = { viewport: { width: 390, height: 844 } };
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server, narrow);
  await page.goto(`${server.url}/docs#revokeToken`);
  await page.locator('#createChat').waitFor();
  const ids = ROUTES.map(({ operationId }) => operationId);
  const missing = `${JSON.stringify(ids)}.filter((id) => document.querySelectorAll('#' + id).length !== 1)`;
  expect(await page.evaluate(missing)).toEqual([]);
  expect((await page.locator('#revokeToken').boundingBox())?.y).toBeLessThan(844);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  await page.getByRole('searchbox').fill('tool results');
  expect(await page.locator('section[id]').count()).toBeLessThan(ROUTES.length / 2);
  await page.locator('#submitToolResults summary', { hasText: 'Problems' }).click();
  const operation = page.locator('#submitToolResults');
  await operation.getByText('missing_tool_result', { exact: true }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.locator('#submitToolResults summary', { hasText: 'Try it' }).click();
  await operation.getByText('This page has no token.').waitFor();
  expect(faults).toEqual([]);
});

it('sends a request with the token of the session, and follows a stream', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server);
  await page.getByRole('link', { name: 'API reference' }).click();
  const create = page.locator('#createChat');
  await create.getByRole('button', { name: 'Python' }).click();
  expect(await create.innerText()).toContain('os.environ["TRUECAST_TOKEN"]');
  await create.getByText('Try it').click();
  await create.getByRole('button', { name: 'Send createChat' }).click();
  const response = { name: 'Response', exact: true } as const;
  const created = create.getByRole('group', response);
  await created.getByText('"chat_id": "').waitFor();
  const chatId = /"id": "([\w-]+)"/u.exec(await created.innerText())?.[1] ?? '';
  const stream = page.locator('#streamChat');
  await stream.getByText('Try it').click();
  await stream.getByRole('textbox', { name: 'id', exact: true }).fill(chatId);
  await stream.getByRole('button', { name: 'Send streamChat' }).click();
  await stream.getByRole('group', response).getByText('"status":"succeeded"').waitFor();
  await stream.getByRole('button', { name: 'Stop' }).click();
  await stream.getByRole('button', { name: 'Send streamChat' }).waitFor();
  if (FORM === 'short') await page.evaluate(REMOVE_OTHERS);
  expect(await violationsOf(page)).toEqual([]);
  expect(faults).toEqual([]);
});

it('creates a token that works, shows it once, and revokes it', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server, { viewport: { width: 390, height: 844 } });
  await signIn(page, server);
  await page.getByRole('button', { name: 'Menu' }).click();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('dialog', { name: 'All pages' }).getByRole('link', { name: 'Settings' }).click();
  await page.getByText('requests a minute').waitFor();
  await page.getByLabel('Name').fill('nightly');
  await page.getByLabel('Expires after').selectOption('1 day');
  await page.getByRole('button', { name: 'Create token' }).click();
  const token = await page.locator('code', { hasText: /^tc_/u }).innerText();
  const read = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${server.url}/api/me`, { headers })).status;
  };
  expect(await read()).toBe(200);
  const row = page.getByRole('listitem').filter({ hasText: 'nightly' });
  expect(await row.innerText()).toMatch(/chats · created just now · expires/u);
  expect(await violationsOf(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  await page.getByRole('button', { name: 'Revoke nightly' }).click();
  await page.getByRole('button', { name: 'Revoke now nightly' }).click();
  await row.waitFor({ state: 'detached' });
  expect(await read()).toBe(401);
  expect(faults).toEqual([]);
});

it('shows a shared receipt to a browser without a session, and keeps the session of one that has it', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server);
  await page.click('button[type=submit]');
  await page.waitForSelector('[data-state=valid]');
  await page.getByRole('link', { name: 'Receipt', exact: true }).click();
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByLabel('Expires after').selectOption('1 hour');
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = await page.locator('code', { hasText: '/shared#key=tcr_' }).innerText();
  const revoke = page.getByRole('button', { name: /^Revoke the link of / });
  await revoke.waitFor();
  expect(await violationsOf(page)).toEqual([]);

  // Another browser, which has no session.
  const narrow = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;
  const reader = await watchPage(browser, server, narrow);
  const sent: string[] = [];
  reader.page.on('request', (request) => sent.push(new URL(request.url()).pathname));
  await reader.page.goto(link);
  await reader.page.getByRole('heading', { name: 'Receipt of bug' }).waitFor();
  expect(await reader.page.getByRole('region', { name: 'Answer bug' }).innerText()).toContain(
    '"src/loop.ts"',
  );
  await reader.page.getByRole('button', { name: 'Verify' }).click();
  await reader.page.getByText('The value matches its hash').waitFor();
  expect(await reader.page.getByRole('navigation').count()).toBe(0);
  expect(sent.filter((path) => path.startsWith('/api'))).toEqual(['/api/shared_receipt']);
  expect(await reader.page.evaluate('localStorage.getItem("truecast-session")')).toBeNull();
  expect(await reader.page.evaluate('sessionStorage.length')).toBe(0);
  expect(await reader.page.context().cookies()).toEqual([]);
  expect(await violationsOf(reader.page)).toEqual([]);
  expect(await reader.page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);

  // A link of another person, with that person's code.
  const kept = await page.evaluate<string>('localStorage.getItem("truecast-session")');
  const tab = await page.context().newPage();
  await tab.goto(`${link}&code=${(await server.newLink()).split('=').at(-1) ?? ''}`);
  await tab.getByRole('heading', { name: 'Receipt of bug' }).waitFor();
  expect(await tab.evaluate('sessionStorage.length')).toBe(0);
  await tab.goto(`${server.url}/chats`);
  await tab.getByRole('heading', { name: 'Chats' }).waitFor();
  expect(await tab.evaluate('localStorage.getItem("truecast-session")')).toBe(kept);

  await revoke.click();
  await revoke.waitFor({ state: 'detached' });
  await reader.page.reload();
  await reader.page.getByRole('alert').getByText('This link shows no receipt').waitFor();
  // The browser reports the response with the status 404.
  expect(reader.faults.filter((fault) => !fault.includes('404'))).toEqual([]);
  expect(faults).toEqual([]);
});

itWhole('goes from the start to a sealed value and its verified receipt by keyboard', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  const { keyboard } = page;
  const focused = (): Promise<unknown> => page.evaluate('document.activeElement.textContent');
  /** Presses Tab until an element has the focus: the order leads there without a detour. */
  const tabTo = async (text: string): Promise<void> => {
    for (let presses = 0; presses < 40 && (await focused()) !== text; presses += 1) {
      await keyboard.press('Tab');
    }
    expect(await focused()).toBe(text);
  };
  await signIn(page, server);
  await page.getByText('No model is connected').waitFor();
  // The form has the focus of the page. The dialog takes it, and gives it back.
  expect(await focused()).toBe('Ask');
  await keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await focused()).toBe('Ask');
  await keyboard.press('g');
  await keyboard.press('a');
  await page.getByRole('heading', { name: 'Ask' }).waitFor();
  await page.getByRole('region', { name: 'Provider compatibility' }).waitFor();
  expect(await focused()).toBe('Ask');
  await tabTo('Infer from an example');
  await keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Infer from an example' }).waitFor();
  await keyboard.type('{"file": "a.ts", "line": 1}');
  await keyboard.press('Tab');
  expect(await focused()).toBe('Replace the schema');
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await focused()).toBe('Infer from an example');
  await keyboard.press('Control+Enter');
  await page.waitForSelector('[data-state=valid]');
  expect(await focused()).toBe('Which file has the bug, and where?');
  await tabTo('More');
  await keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Actions of the chat' }).waitFor();
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await focused()).toBe('More');
  await keyboard.press('v');
  await tabTo('Receipt');
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Receipt of bug' }).waitFor();
  await page.getByRole('button', { name: 'Verify' }).waitFor();
  await tabTo('Verify');
  await keyboard.press('Enter');
  await page.getByText('The value matches its hash').waitFor();
  expect(faults).toEqual([]);
});

it('goes from the start to a sealed value, a chat by its title, and the settings by keyboard', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server, { colorScheme: 'dark' });
  const { keyboard } = page;
  await signIn(page, server);
  await page.getByText('No model is connected').waitFor();
  await keyboard.press('Enter');
  await page.waitForSelector('[data-state=valid]');
  await keyboard.press('v');
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Value of bug');
  await keyboard.press('g');
  await keyboard.press('s');
  await page.locator('#question').waitFor();
  await keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Find a page, an action, a chat or an id' });
  await palette.waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await keyboard.type('which file');
  await palette
    .getByRole('option', { name: /Which file has the bug/u })
    .first()
    .waitFor();
  await keyboard.press('Enter');
  await page.waitForURL(/\/chats\/[\w-]+$/u);
  await page.waitForSelector('[data-state=valid]');
  await keyboard.press('Control+k');
  await palette.waitFor();
  const requestId = crypto.randomUUID();
  await keyboard.insertText(requestId);
  await palette.getByRole('option', { name: `Chat ${requestId}` }).waitFor();
  await palette.getByRole('option', { name: `Receipt ${requestId}` }).waitFor({ timeout: 5_000 });
  await page.getByRole('combobox').fill('');
  await keyboard.type('compact');
  await palette.getByRole('option', { name: /compact or delete.*on this page/u }).waitFor();
  await keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Actions of the chat' }).waitFor();
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const shortcuts = page.getByLabel('Single-key shortcuts');
  // The two keys belong together for a second, which a busy machine can need for one of them.
  await expect
    .poll(
      async () => {
        await keyboard.press('g');
        await keyboard.press(',');
        return shortcuts.isVisible();
      },
      { timeout: 60_000 },
    )
    .toBe(true);
  await shortcuts.uncheck();
  const models = page.getByRole('list', { name: 'Models' });
  await models.getByText('scripted:demo').waitFor();
  expect(await models.innerText()).toContain('schema dialect of other servers');
  const themes = page.getByRole('group', { name: 'Theme' });
  await themes.getByRole('button', { name: 'Light' }).click();
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(244, 245, 248)');
  // The button of the sidebar changes the same choice.
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await themes.getByRole('button', { name: 'Dark', pressed: true }).waitFor();
  await page.getByRole('heading', { name: 'Settings' }).focus();
  await keyboard.press('?');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(faults).toEqual([]);
});

/** A list draws 40 of them. */
const EVENTS = matrixRuns(2_000, 10_000);
const inWords = (count: number): string => count.toLocaleString('en-US');
const [ALL, PUBLIC, OF_PILOT] = [EVENTS, (EVENTS * 3) / 4, EVENTS / 4].map(inWords);

it('scrubs a run of thousands of events, and shows private thoughts on request only', async () => {
  const { server, browser, databaseUrl } = suite;
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server);
  await page.getByRole('link', { name: 'Stage', exact: true }).first().click();
  await page.getByText('There are no ensemble runs yet.').waitFor();
  await appendSampleRun(databaseUrl, 'boat/1', EVENTS);
  await page.reload();
  await page.getByRole('link', { name: /The museum boat[^]*hedda won/u }).click();
  await page.getByText(`line ${PUBLIC} of ${PUBLIC}, turn ${EVENTS / 4 - 1}`).waitFor();
  expect(await page.locator('ol[aria-label=Lines] li').count()).toBe(40);
  expect(await page.getByText('She knows more').count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('slider').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.getByText(`line 2 of ${PUBLIC}, turn 0`).waitFor();
  expect(new URL(page.url()).searchParams.get('at')).toBe('1');
  const now = page.locator('[aria-current=step]');
  expect(await now.innerText()).toMatch(/^ivo[^]*<img src=x[^]*asked 2 times · repaired$/u);
  await page.getByRole('combobox', { name: 'Thoughts' }).selectOption('With private thoughts');
  await page.getByText(`line 2 of ${ALL}, turn 0`).waitFor();
  expect(await now.innerText()).toContain('She knows more than she says.');
  await page.getByRole('combobox', { name: 'Actor' }).selectOption('pilot');
  await page.getByText(`line 2 of ${OF_PILOT}, turn 1`).waitFor();
  await page.getByRole('button', { name: 'Play' }).click();
  await page.getByText(`line 3 of ${OF_PILOT}, turn 2`).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('combobox', { name: 'Actor' }).selectOption('All actors');
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('Home');
  await page.getByText(`line 1 of ${ALL}, turn 0`).waitFor();
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByText(new RegExp(String.raw`^line \d of ${ALL}, turn 1$`, 'u')).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.getByText(new RegExp(String.raw`^line \d of ${ALL}, turn 0$`, 'u')).waitFor();
  await page.keyboard.press('End');
  await page.getByText(`line ${ALL} of ${ALL}`).waitFor();
  await page.getByRole('button', { name: 'Previous turn' }).click();
  await page.getByRole('combobox', { name: 'Speed' }).selectOption('4×');
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press(' ');
  await page.getByText(`line ${ALL} of ${ALL}`).waitFor();
  expect(faults).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violationsOf(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  await goTo(page, 'stage/none');
  expect(await page.getByRole('alert').innerText()).toContain('The ledger has no such run.');
});

it('shows a run in progress grow, from its calls to the leaderboard', async () => {
  const { server, browser, databaseUrl } = suite;
  const { page, faults } = await watchPage(browser, server);
  const call = {
    agent: 'hedda',
    code: 'ok',
    usage: { inputTokens: 1_000, outputTokens: 204, costUsd: 0.02 },
    duration_ms: 1_200,
  };
  const scene = { turn: 0, actor: 'conductor', kind: 'world.observed', payload: { text: 'A quay in fog.' } };
  await appendEvents(databaseUrl, 'live', [SAMPLE_START, scene]);
  await signIn(page, server, 'stage/live');
  const lines = page.getByRole('list', { name: 'Lines' });
  await lines.getByText('A quay in fog.').waitFor();
  await page.getByText('live', { exact: true }).waitFor();
  await page.getByText('truecast ensemble run --resume live').waitFor();
  const spoken = { turn: 1, actor: 'hedda', kind: 'agent.spoke', payload: { text: 'I hear a bell.' } };
  const called = { turn: 1, actor: 'conductor', kind: 'model.called', payload: call };
  await appendEvents(databaseUrl, 'live', [called, { ...spoken, causedBy: 'live-1' }], 2);
  await lines.getByText('I hear a bell.').waitFor();
  await page.getByText('line 2 of 2, turn 1').waitFor();
  await page.getByText('1 call · 1,204 tokens · $0.02 up to here').waitFor();
  const panel = page.getByRole('region', { name: 'Event' });
  expect(await panel.innerText()).toMatch(/Event 4 of 4[^]*1 · 1.2 s · 1,204 tokens · \$0.02/u);
  expect(await violationsOf(page)).toEqual([]);
  await panel.getByRole('button', { name: 'event 2, conductor' }).click();
  await page.getByText('line 1 of 2, turn 0').waitFor();
  // A position that was chosen stays, and `l` returns to the end.
  await appendEvents(databaseUrl, 'live', [{ ...spoken, payload: { text: 'And again.' } }], 4);
  await page.getByText('line 1 of 3, turn 0').waitFor();
  await page.getByRole('button', { name: 'Live, 2 new' }).waitFor();
  await page.keyboard.press('l');
  await lines.getByText('And again.').waitFor();
  await page.getByLabel('Say something to the actors').fill('The light goes out.');
  await page.keyboard.press('Enter');
  await page.getByText('Your message waits for the process that plays the run.').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('world.observed');
  await page.getByText('line 1 of 1, turn 0').waitFor();
  await appendEvents(databaseUrl, 'live', [SAMPLE_END], 5);
  await page.getByText('Ended by verdict. Winner: hedda.').waitFor();
  await page.getByText('ended', { exact: true }).waitFor();
  await goTo(page, 'stage');
  const board = page.getByRole('region', { name: 'Leaderboard' });
  await board.waitFor();
  expect(await board.getByRole('row').allInnerTexts()).toEqual(
    expect.arrayContaining([expect.stringMatching(/^qwen3\s+\d\s+\d\s+few$/u)]),
  );
  expect(await violationsOf(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
});
