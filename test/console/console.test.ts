/** Tests of the console in Chromium, as the packed server serves it. */
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { itWhole } from '../matrix.ts';
import { goTo, newLink, signIn, violationsOf, watchPage } from './console-fixture.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { packedConsole } from './packed-console.ts';

const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

let replies: ScriptedReply[] = [];
let lastCall = '';
const suite = packedConsole({
  script: (call) => {
    lastCall = JSON.stringify(call);
    return replies.shift() ?? reply.error(401);
  },
});

it('shows a newcomer a refused attempt, the sealed value and its verified receipt', async () => {
  suite.slowDemo();
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server);
  await page.waitForSelector('text=No model is connected');
  expect(page.url()).toBe(`${server.url}/`);
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.waitForSelector('[data-state=draft]');
  await page.waitForSelector('[data-state=valid]');
  const answer = page.getByRole('region', { name: 'Answer bug' });
  expect(await answer.innerText()).toContain('"src/loop.ts"');
  expect(await page.getByLabel('Refused attempts').innerText()).toContain(
    '/line expected integer, got "twelve"',
  );
  expect(await answer.innerText()).toMatch(/Sealed [\d:]{8}\s+sha256 \w{12}/u);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await answer.getByRole('button', { name: 'line' }).click();
  await answer.getByText('pointer copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('/line');
  await answer.getByRole('button', { name: 'Copy type' }).click();
  await answer.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain('export interface Bug {');
  expect(await page.getByRole('button', { name: /attempt 1 refused, / }).count()).toBe(1);
  expect(await page.getByRole('button', { name: /attempt 2 valid, / }).count()).toBe(1);
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'Receipt', exact: true }).click();
  await page.click('text=Verify');
  await page.waitForSelector('text=The value matches its hash');
  const facts = page.getByRole('region', { name: 'Facts' });
  await facts
    .getByText(/^[\d.]+ m?s, [\d,]+ input and [\d,]+ output tokens$/u)
    .first()
    .waitFor();
  const attempts = page.getByRole('list', { name: 'Attempts' });
  // The text is the model's own, and not the canonical value.
  expect(await attempts.locator('mark').innerText()).toBe('"line":"twelve"');
  await attempts.getByRole('button', { name: 'why' }).click();
  expect(await attempts.locator('[data-selected]').innerText()).toBe('"why":"The loop runs once too often."');
  await attempts
    .locator('pre')
    .last()
    .getByText('"line":42')
    .click({ position: { x: 170, y: 8 } });
  await attempts.getByRole('button', { name: 'file', pressed: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('field')).toBe('/file');
  expect(await violationsOf(page)).toEqual([]);
  // A link to a page is served as the console, and the session is kept.
  await page.reload();
  await page.getByRole('button', { name: 'Verify' }).waitFor();
  expect(faults).toEqual([]);
});

it('shows the question and the card of its answer before the stream of the chat is open', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  await signIn(page, server);
  await page.waitForSelector('#question');
  await page.route('**/api/chats/*/stream**', () => undefined);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Which file has the bug, and where?' }).waitFor();
  await page.getByRole('region', { name: 'Answer bug' }).waitFor();
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  expect(await page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  await page.unroute('**/api/chats/*/stream**');
  await page.reload();
  await page.waitForSelector('[data-state=valid]');
  expect(faults).toEqual([]);
});

it('asks again in the same chat, and lists the chat, on a narrow dark screen', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server, NARROW);
  await signIn(page, server);
  await page.click('button[type=submit]');
  await page.waitForSelector('[data-state=valid]');
  await page.fill('#follow-up', 'And the next bug?');
  await page.getByLabel('Require an answer of type').uncheck();
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.waitForSelector('text=this is an echo: And the next bug?');
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Edit and run again' }).click();
  await page.getByText('The reply to this question is removed. Its receipt stays.').waitFor();
  await page.getByLabel('Question of the chat').selectOption({ index: 0 });
  await page.getByText('and the question after it').waitFor();
  await page.getByLabel('Question of the chat').selectOption({ index: 1 });
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('textbox', { name: 'Question', exact: true }).fill('And the last bug?');
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.waitForSelector('text=this is an echo: And the last bug?');
  expect(await page.getByText('And the next bug?').count()).toBe(0);
  await page.getByRole('button', { name: 'More' }).click();
  const isSaved = () => page.waitForResponse((response) => response.request().method() === 'PATCH');
  await Promise.all([
    isSaved(),
    page.getByLabel('The model of the next turn.').selectOption('local:scripted'),
  ]);
  await Promise.all([isSaved(), page.getByLabel('Plan mode').click()]);
  await page.getByRole('button', { name: 'Copy as curl' }).waitFor();
  await page.keyboard.press('Escape');
  const read = await fetch(page.url().replace('/chats', '/api/chats'), {
    headers: { authorization: `Bearer ${server.token}` },
  });
  expect(await read.json()).toMatchObject({ model: 'local:scripted', plan_mode: true });
  // The card is in the page, and open.
  await page.getByRole('region', { name: 'Answer bug' }).getByText('"src/loop.ts"').first().waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'Chats' }).last().click();
  await page.waitForSelector('ol a >> text=Which file has the bug');
  expect(await violationsOf(page)).toEqual([]);
  await page.goBack();
  await page.getByRole('button', { name: 'More' }).click();
  expect(await violationsOf(page)).toEqual([]);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  expect(readFileSync(await (await saved).path(), 'utf8')).toContain('this is an echo: And the last bug?');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete now' }).click();
  await page.waitForURL(/\/chats$/u);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  expect(faults).toEqual([]);
});

it('reports problems at their line, and the losses of each provider, while a schema is typed', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server, NARROW);
  await signIn(page, server);
  await page.getByRole('button', { name: 'Edit schema' }).click();
  const report = page.getByRole('region', { name: 'Provider compatibility' });
  await report.getByText('1 rule it does not enforce, checked here').first().click();
  expect(await report.innerText()).toContain('/properties/line/minimum');
  expect(await violationsOf(page)).toEqual([]);
  const ask = page.getByRole('button', { name: 'Ask' });
  expect(await ask.isEnabled()).toBe(true);
  await page.fill('#schema', '{\n"type": "object",\n"properties": {\n"at": { "$ref": "#/$defs/Date" }\n}\n}');
  await page.getByRole('button', { name: 'line 4' }).waitFor();
  expect(await page.locator('#schema-problems').innerText()).toContain('/properties/at/$ref');
  expect(await ask.isEnabled()).toBe(false);
  await page.fill('#schema', '{\n"type": "object",\n"properties" {}\n}');
  await page.getByRole('button', { name: 'line 3' }).click();
  expect(await page.evaluate('getSelection().toString()')).toBe('"properties" {}');
  expect(await violationsOf(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  expect(faults).toEqual([]);
});

it('writes a schema as text, as fields and from an example, and asks a question of a receipt again', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server, NARROW);
  replies = [reply.tool('submit_structured_output', { output: { total: 7, tags: ['a'] } })];
  await signIn(page, server);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Ask', exact: true }).click();
  await page.getByRole('heading', { name: 'Ask' }).waitFor();
  await page.getByRole('region', { name: 'Provider compatibility' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Infer from an example' }).click();
  await page.getByLabel('A JSON object becomes a schema').fill('{"sum": 7, "tags": ["a"]}');
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Replace the schema' }).click();
  expect(await page.evaluate('document.activeElement.innerText')).toBe('Infer from an example');
  await page.getByRole('button', { name: 'Form', exact: true }).click();
  const name = page.getByLabel('Name of the field sum');
  await name.fill('tags');
  await page.getByText('Another field has the name tags.').waitFor();
  await name.fill('total');
  await page.getByLabel('total: min.').fill('1');
  await page.getByLabel('tags is required').uncheck();
  await page.getByLabel('Type of an item of tags').selectOption('one of');
  await page.getByLabel('Choices of an item of tags').fill('a, b,');
  await page.getByLabel('Description of total').fill('In euros');
  expect(await violationsOf(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  await page.getByRole('button', { name: 'Editor', exact: true }).click();
  expect(JSON.parse(await page.inputValue('#schema'))).toEqual({
    type: 'object',
    properties: {
      total: { type: 'integer', minimum: 1, description: 'In euros' },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    },
    required: ['total'],
    additionalProperties: false,
  });
  // A keyword, with the arrow keys. `Tab` leaves the editor.
  await page.fill('#schema', (await page.inputValue('#schema')).replace('"minimum": 1', '"m'));
  await page.evaluate("{ const at = schema.value.indexOf('\"m') + 2; schema.setSelectionRange(at, at); }");
  await page.keyboard.type('ini');
  await page.getByRole('option', { name: 'minimum' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.keyboard.type('1');
  expect(JSON.parse(await page.inputValue('#schema'))).toMatchObject({
    properties: { total: { minimum: 1 } },
  });
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.id')).not.toBe('schema');
  await page.getByRole('button', { name: 'From TypeScript' }).click();
  const type = page.getByLabel('Schema', { exact: true });
  await expect.poll(() => type.inputValue()).toContain('tags?: ("a" | "b")[];');
  expect(await violationsOf(page)).toEqual([]);
  await type.fill('interface Invoice {\n  total: Sum;\n}');
  await page.getByText('line 2: `Sum` is not declared.').waitFor();
  // The form sends a type as the author typed it. An incomplete one prevents sending.
  expect(await page.getByRole('button', { name: 'Ask', exact: true }).isEnabled()).toBe(false);
  const invoice = 'interface Invoice {\n  /** @asType integer */\n  total: number;\n  tags?: string[];\n}';
  await type.fill(invoice);
  await expect.poll(() => page.inputValue('#answer-name')).toBe('invoice');
  await page.getByRole('button', { name: 'Show the schema' }).click();
  expect(JSON.parse(await page.inputValue('#schema'))).toMatchObject({
    properties: { total: { type: 'integer' }, tags: { items: { type: 'string' } } },
  });
  await page.getByLabel('Model').selectOption('local:scripted');
  await page.getByLabel('Name of the answer').fill('the invoice');
  const ask = page.getByRole('button', { name: 'Ask', exact: true });
  await page.getByText('Expected 1 to 64 letters').waitFor();
  expect(await ask.isEnabled()).toBe(false);
  await page.getByLabel('Name of the answer').fill('invoice');
  await page.getByText('Limits').click();
  await page.getByLabel('Refused answers, at most').fill('2');
  const code = page.getByRole('region', { name: 'In your code' });
  expect(await code.innerText()).toMatch(/"model": "local:scripted"[^]*"max_repairs": 2/u);
  await page.reload();
  expect(await page.inputValue('#max-repairs')).toBe('2');
  await page.locator('summary', { hasText: 'More' }).click();
  const files = page.getByLabel('Files to send');
  const large = { name: 'scan.png', mimeType: 'image/png', buffer: Buffer.alloc(800_000) };
  await files.setInputFiles([{ ...large, name: 'page.png', buffer: Buffer.from('PNG') }, large]);
  await page.getByText('The files have 801 kB together.').waitFor();
  expect(await ask.isEnabled()).toBe(false);
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Remove scan.png' }).click();
  expect(await code.innerText()).toContain("$(base64 < 'page.png'");
  await ask.click();
  await page.waitForSelector('[data-state=valid]');
  expect(lastCall).toContain(btoa('PNG'));
  await page.getByRole('link', { name: 'Receipt', exact: true }).click();
  await page.getByRole('link', { name: 'Ask again with …' }).waitFor();
  await goTo(page, 'ask');
  await page.getByLabel('Name of the answer').fill('other');
  await page.getByLabel('Recent schemas').selectOption({ index: 1 });
  await expect.poll(() => page.inputValue('#answer-name')).toBe('invoice');
  await page.getByRole('textbox', { name: 'Question', exact: true }).fill('Something else');
  const library = page.getByRole('dialog', { name: 'Kept questions' });
  await page.getByRole('button', { name: 'Kept questions' }).press('Enter');
  await library.getByLabel('Keep the question of the form as').fill('Invoices');
  await page.keyboard.press('Enter');
  await library.getByRole('button', { name: 'Replace' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('textbox', { name: 'Question', exact: true }).fill('Another one');
  await page.getByLabel('Name of the answer').fill('other');
  await page.reload();
  await page.getByRole('button', { name: 'Kept questions' }).press('Enter');
  await library.getByRole('button', { name: /^Invoices/u }).press('Enter');
  expect(await page.inputValue('#question')).toBe('Something else');
  expect(await page.inputValue('#answer-name')).toBe('invoice');
  await page.getByRole('button', { name: 'Kept questions' }).press('Enter');
  await library.getByRole('button', { name: 'Delete Invoices' }).press('Enter');
  await library.getByText('No question is kept yet.').waitFor();
  await page.keyboard.press('Escape');
  await page.goBack();
  await page.getByRole('link', { name: 'Ask again with …' }).click();
  await expect.poll(() => page.inputValue('#question')).toBe('Which file has the bug, and where?');
  expect(await page.inputValue('#answer-name')).toBe('invoice');
  await page.locator('summary', { hasText: 'More' }).click();
  await page.getByLabel('End with a plan').check();
  await page.getByText('The schema is not sent.').waitFor();
  expect(await code.innerText()).toContain('"plan_mode": true');
  expect(await violationsOf(page)).toEqual([]);
  expect(replies).toEqual([]);
  expect(faults).toEqual([]);
});

it('requests a link without a session, says that a token was refused, and accepts a pasted link', async () => {
  const { server, browser } = suite;
  const { page } = await watchPage(browser, server);
  await page.goto(`${server.url}/chats`);
  await page.fill('#token', 'tc_not-a-token-of-this-server');
  await page.click('text=Continue');
  await page.waitForSelector('text=does not accept this token');
  expect(await violationsOf(page)).toEqual([]);
  await page.fill('#token', await server.newLink());
  await page.click('text=Continue');
  await page.getByRole('heading', { name: 'Chats' }).waitFor();
  expect(page.url()).toBe(`${server.url}/chats`);
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
  // The next person to sign in does not see what this one has read.
  await page.route(/\/api\/chats\?/u, () => undefined);
  await page.evaluate("localStorage.clear(); dispatchEvent(new StorageEvent('storage')); 0");
  await page.fill('#token', await server.newLink());
  await page.click('text=Continue');
  await page.getByRole('status', { name: 'Loading' }).waitFor();
});

it('needs a link once for all tabs of a browser, until it signs out', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server);
  const link = await server.newLink();
  await page.goto(link);
  await page.locator('#question').waitFor();
  expect(page.url()).toBe(`${server.url}/`);
  const context = page.context();
  expect(await context.cookies()).toMatchObject([{ httpOnly: true, sameSite: 'Strict', expires: -1 }]);
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  await page.reload();
  await page.locator('#question').waitFor();
  // The tab of the link is closed. A bookmark and a pasted address need no link.
  const tab = await context.newPage();
  await page.close();
  await tab.goto(`${server.url}/chats`);
  await tab.getByRole('heading', { name: 'Chats' }).waitFor();
  const kept = JSON.stringify(await context.storageState());
  for (const secret of [server.token.slice(3), link.slice(-40)]) expect(kept).not.toContain(secret);
  const { page: stranger } = await watchPage(browser, server);
  await stranger.context().addCookies(await context.cookies());
  await stranger.goto(`${server.url}/chats`);
  await stranger.getByLabel('Link or token').waitFor();
  const second = await context.newPage();
  await second.goto(`${server.url}/requests`);
  await second.getByRole('heading', { name: 'Receipts' }).waitFor();
  await tab.keyboard.press('Control+k');
  await tab.getByRole('combobox', { name: /^Page, action/u }).fill('Sign out');
  await tab.keyboard.press('Enter');
  await tab.getByLabel('Link or token').waitFor();
  await second.getByLabel('Link or token').waitFor();
  expect(await context.cookies()).toEqual([]);
  expect(faults).toEqual([]);
});

itWhole(
  'keeps the session of a browser when a link of another person is opened, and leaves the link unused',
  async () => {
    const { server, browser } = suite;
    const { page, faults } = await watchPage(browser, server);
    await signIn(page, server);
    await page.locator('#question').waitFor();
    const context = page.context();
    const made = await context.request.post(`${server.url}/api/tokens`, {
      headers: { authorization: `Bearer ${server.token}` },
      data: { name: 'other' },
    });
    const { token } = z.object({ token: z.string() }).parse(await made.json());
    const halves = JSON.stringify(await context.storageState());
    const link = await newLink(server.url, token);
    const strip = page.getByRole('complementary', { name: 'Link' });
    // Opened in the tab of the session, only the fragment of the address changes.
    await page.goto(link);
    await strip.getByText('This browser was signed in already').waitFor();
    expect(page.url()).toBe(`${server.url}/`);
    expect(await violationsOf(page)).toEqual([]);
    await strip.getByRole('button', { name: 'Close' }).click();
    await strip.waitFor({ state: 'detached' });
    const tab = await context.newPage();
    await tab.goto(link);
    await tab.getByText('This browser was signed in already').waitFor();
    expect(await tab.evaluate('sessionStorage.length')).toBe(0);
    expect(JSON.stringify(await context.storageState())).toBe(halves);
    await tab.goto(`${server.url}/settings`);
    await tab.getByText('console', { exact: true }).first().waitFor();
    const second = await watchPage(browser, server);
    await second.page.goto(link);
    await second.page.locator('#question').waitFor();
    await second.page.goto(`${server.url}/settings`);
    await second.page.getByText('other', { exact: true }).first().waitFor();
    expect([...faults, ...second.faults]).toEqual([]);
  },
);

it('says that a link was used or has expired, and how to get another one', async () => {
  const { server, browser, databaseUrl } = suite;
  const [used, late] = [await server.newLink(), await server.newLink()];
  const first = await watchPage(browser, server);
  await first.page.goto(used);
  await first.page.locator('#question').waitFor();
  // Again in the same browser, its session counts.
  const again = await first.page.context().newPage();
  await again.goto(used);
  await again.locator('#question').waitFor();
  const { page, faults } = await watchPage(browser, server, NARROW);
  await page.goto(used);
  await page.getByRole('alert').getByText('This link was used, or it has expired.').waitFor();
  await page.getByText('npx --no truecast link').waitFor();
  expect(page.url()).toBe(`${server.url}/`);
  expect(await violationsOf(page)).toEqual([]);
  const database = new DatabaseSync(databaseUrl);
  database.exec('update sign_in_codes set expires_at = 1');
  database.close();
  await page.goto(late);
  await page.reload();
  await page.fill('#token', late);
  await page.getByLabel('Stay signed in').check();
  await page.click('text=Continue');
  await page.getByRole('alert').getByText('This link was used, or it has expired.').waitFor();
  expect(await page.context().cookies()).toEqual([]);
  await page.fill('#token', await server.newLink());
  await page.click('text=Continue');
  await page.locator('#question').waitFor();
  const [cookie] = await page.context().cookies();
  expect(cookie?.expires).toBeGreaterThan(Date.now() / 1_000 + 29 * 24 * 3_600);
  await page.reload();
  await page.locator('#question').waitFor();
  // The browser reports the responses with the status 401.
  expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  expect(first.faults).toEqual([]);
});

itWhole('keeps the code in the address while no server answers, and a reload uses it', async () => {
  const { server, browser } = suite;
  const { page } = await watchPage(browser, server);
  await page.route('**/api/session', (route) => route.abort());
  const link = await server.newLink();
  await page.goto(link);
  await page.getByRole('alert').getByText('The server does not answer').waitFor();
  expect(page.url()).toBe(link);
  await page.unroute('**/api/session');
  await page.reload();
  await page.locator('#question').waitFor();
  expect(page.url()).toBe(`${server.url}/`);
});

it('takes the result of a tool by hand, runs a queued message at once, and removes another', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server, NARROW);
  const slow = { chunkChars: 40, chunkDelayMs: 250 };
  replies = [
    reply.tool('look', { path: 'src/loop.ts' }),
    reply.text('long '.repeat(4_000), slow),
    reply.text('The last one.'),
  ];
  const tools = [{ name: 'look', description: 'Looks.', input_schema: { type: 'object' } }];
  const response = await fetch(`${server.url}/api/chats`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ content: 'Look.', model: 'local:scripted', tools }),
  });
  const { chat } = z.object({ chat: z.object({ id: z.string() }) }).parse(await response.json());
  await signIn(page, server, `chats/${chat.id}`);
  const form = page.getByRole('form', { name: 'Tool results' });
  expect(await form.getByRole('timer').innerText()).toMatch(/^(?:4:\d\d|5:00) left$/u);
  await form.getByLabel('Result of look').fill('{"found": 3}');
  expect(await violationsOf(page)).toEqual([]);
  await form.getByRole('button', { name: 'Send the result' }).click();
  await page.getByText('long long').first().waitFor();
  for (const text of ['never', 'at once']) {
    await page.fill('#follow-up', text);
    await page.getByRole('button', { name: 'Queue', exact: true }).click();
    await page.getByRole('button', { name: `Run now: ${text}` }).waitFor();
  }
  expect(await violationsOf(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  await page.getByRole('button', { name: 'Remove: never' }).click();
  await page.getByRole('button', { name: 'Remove: never' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Run now: at once' }).click();
  await page.getByText('The last one.').waitFor();
  expect(await page.getByText('never').count()).toBe(0);
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press(']');
  expect(await page.evaluate('document.activeElement.innerText')).toMatch(
    /^look returned 11 B \{"path":"src\/loop.ts"\}$/u,
  );
  await page.keyboard.press(']');
  await page.keyboard.press('[');
  expect(await page.evaluate('document.activeElement.innerText')).toContain('look');
  expect(replies).toEqual([]);
  expect(faults).toEqual([]);
});
