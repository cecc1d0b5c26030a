/** Builds the React example once, and drives it in Chromium in strict mode, on a real server. */
import { createServer as createHttpServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { createChatServer, type ChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import { closePages, openPage } from './kept-pages.ts';
import { sharedBrowser } from './shared-browser.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/react-chat/', import.meta.url));
const POLICY = "default-src 'none'; script-src 'self'; connect-src http://127.0.0.1:*; img-src data:";
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };

/** Slow enough that a busy browser shows a draft too. */
const submit = (output: unknown): ScriptedReply =>
  reply.toolText(FINALIZER_NAME, JSON.stringify({ output }), { chunkChars: 4, chunkDelayMs: 80 });
let replies: ScriptedReply[] = [];
let pages: Server;
let model: ScriptedModelServer;
let server: ChatServer;
let browser: Browser;
let link: string;
const faults: string[] = [];

beforeAll(async () => {
  const built = await build({
    root: EXAMPLE,
    logLevel: 'error',
    mode: 'production',
    build: { write: false, target: 'es2023', minify: false },
  });
  const { output } = built as Rolldown.RolldownOutput;
  const files = new Map(
    output.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source]),
  );
  pages = createHttpServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    const name = files.has(path) ? path : '/index.html';
    response.writeHead(200, {
      'content-type': TYPES[extname(name)] ?? '',
      'content-security-policy': POLICY,
    });
    response.end(files.get(name));
  }).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  model = await scriptedModelServer({ script: () => replies.shift() ?? reply.error(401) });
  const environment = { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted' };
  server = await createChatServer({
    port: 0,
    databaseUrl: ':memory:',
    environment,
    allowedOrigins: [origin],
  });
  const { token } = await server.createToken({ name: 'page' });
  link = `${origin}/?server=${encodeURIComponent(server.url)}&chat=page-1#token=${token}`;
  browser = await sharedBrowser();
});
afterEach(() => closePages(browser));
afterAll(async () => {
  await server?.close();
  await model?.close();
  pages?.close();
});

async function openChat(): Promise<Page> {
  const page = await openPage(browser);
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  await page.goto(link);
  return page;
}

it('runs a tool of the page, shows a refused attempt and the sealed value, and keeps it after a reload', async () => {
  replies = [
    reply.tool('look', { path: 'src/loop.ts' }),
    submit({ file: 'src/loop.ts', line: 'three' }),
    submit({ file: 'src/loop.ts', line: 3 }),
  ];
  const page = await openChat();
  const chat = page.getByRole('region', { name: 'Chat' });
  await chat.getByRole('button', { name: 'Send' }).click();
  await chat.getByText('look src/loop.ts: output-available').waitFor();
  await chat.locator('[data-state=draft]').waitFor();
  await chat.locator('[data-state=valid]').waitFor();
  expect(await chat.locator('[data-state=valid]').innerText()).toContain('src/loop.ts');
  expect(await chat.getByLabel('Refused attempts').innerText()).toContain('/line');
  await chat.locator('[data-server-status=waiting]').waitFor();
  const shown = await chat.getByRole('article', { name: 'assistant' }).innerText();
  await page.reload();
  await chat.locator('[data-state=valid]').waitFor();
  expect(await chat.getByRole('article', { name: 'assistant' }).innerText()).toBe(shown);
  expect(replies).toEqual([]);
  expect(faults).toEqual([]);
});

it('joins the running turn after a reload, and stops it on the server', async () => {
  replies = [reply.text('word '.repeat(2_000), { chunkChars: 50, chunkDelayMs: 100 })];
  const page = await openChat();
  const chat = page.getByRole('region', { name: 'Chat' });
  await chat.getByRole('button', { name: 'Send' }).click();
  await chat.getByText(/^word word/u).waitFor();
  await page.reload();
  await chat.getByText(/^word word/u).waitFor();
  await chat.getByRole('button', { name: 'Stop' }).click();
  await chat.locator('[data-server-status=waiting]').waitFor();
  expect(faults).toEqual([]);
});

it('shows an answer in its card: the draft, a refusal, the correction and the typed value, and asks again', async () => {
  replies = [submit({ file: 'a.ts', line: 'seven' }), submit({ file: 'a.ts', line: 7 }), reply.error(401)];
  const page = await openChat();
  const answer = page.getByRole('region', { name: 'Answer' });
  const card = page.getByRole('region', { name: 'Bug' });
  const state = card.getByRole('status');
  await answer.getByRole('button', { name: 'Ask', exact: true }).click();
  await state.getByText('Draft, not validated').waitFor();
  await state.getByText('Correction, not validated').waitFor();
  expect(await card.getByLabel('Refused attempts').innerText()).toBe('/line expected number, got "seven"');
  await state.getByText('Sealed, corrected after 1 refused').waitFor();
  await answer.getByText('a.ts:7').waitFor();
  await answer.getByRole('button', { name: 'Ask', exact: true }).click();
  await card.getByLabel('Refused attempts').waitFor({ state: 'detached' });
  await card.getByRole('alert').waitFor();
  expect(await state.innerText()).toBe('Failed');
  replies = [submit({ file: 'b.ts', line: 8 })];
  await card.getByRole('button', { name: 'Ask again' }).click();
  await answer.getByText('b.ts:8').waitFor();
  expect(model.turns.at(-1)?.userText).toContain('Which line has the bug?');
  expect(faults).toEqual([]);
});
