/** Tests that apps which import the packed client are built: a page of Vite, and a route of an edge runtime. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unpackPackages } from './unpack-packages.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Builtins of Node, and what Vite puts in their place. */
const BUILTINS = /["'`]node:|__vite-browser-external/u;
/** Globals of Node. React reads some of them, after it looked whether they exist. */
const GLOBALS = /\bprocess\.|\bBuffer\b/u;

const PAGE = `
import { createRoot } from 'react-dom/client';
import { createElement, StrictMode } from 'react';
import { createClient, Output } from '@truecast/client';
import { AnswerCard, useAnswer } from '@truecast/client/react';

const client = createClient({ baseURL: location.origin, token: 'tc_…' });
function Page() {
  const answer = useAnswer({ client, output: Output.json() });
  return createElement(AnswerCard, { answer });
}
createRoot(document.body).render(createElement(StrictMode, null, createElement(Page)));
`;

/** A route of an edge runtime: it gets a request, and has the globals of the web. */
const ROUTE = `
import { createClient, Output } from '@truecast/client';
import { createChatTransport, uiMessageStream } from '@truecast/client/ai-sdk';

export default async function handle(fetch) {
  const client = createClient({ baseURL: 'https://chats.invalid', token: 'tc_x', fetch });
  const transport = createChatTransport(client, { output: Output.json() });
  const models = await client.models();
  return JSON.stringify([models.map(({ id }) => id), typeof transport.sendMessages, typeof uiMessageStream]);
}
`;

let project: string;
beforeAll(async () => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-apps-')));
  await unpackPackages(project);
  for (const name of ['react', 'react-dom', 'scheduler']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  }
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

it('builds a page of Vite with the hook and the card, without a module of Node', async () => {
  const root = join(project, 'page');
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'index.html'), '<script type="module" src="/main.js"></script>');
  writeFileSync(join(root, 'main.js'), PAGE);
  const warnings: string[] = [];
  const built = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    mode: 'production',
    define: { 'process.env.NODE_ENV': JSON.stringify('production') },
    build: { write: false, rolldownOptions: { onwarn: ({ code = '' }) => warnings.push(code) } },
  });
  const { output } = built as Rolldown.RolldownOutput;
  const chunks = output.filter((file) => file.type === 'chunk');
  const code = chunks.map((chunk) => chunk.code).join('');
  expect(code.includes('Refused attempts')).toBe(true);
  expect(BUILTINS.exec(code)?.[0]).toBeUndefined();
  expect(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])).toEqual([]);
  // The entry begins with 'use client', which means nothing to Vite.
  expect(warnings).toEqual(['MODULE_LEVEL_DIRECTIVE']);
});

it.each([
  ['workerd', ['workerd', 'worker', 'browser', 'import']],
  ['an edge route of Next', ['edge-light', 'worker', 'browser', 'import']],
])('bundles for %s, and calls a server with the globals of the web alone', async (_name, conditionNames) => {
  const input = join(project, 'route.mjs');
  writeFileSync(input, ROUTE);
  const bundle = await rolldown({ input, cwd: project, platform: 'neutral', resolve: { conditionNames } });
  const { output } = await bundle.generate({ format: 'iife', name: 'route', minify: true });
  await bundle.close();
  const [{ code, imports, dynamicImports }] = output;
  expect([imports, dynamicImports]).toEqual([[], []]);
  expect([BUILTINS, GLOBALS].map((each) => each.exec(code)?.[0])).toEqual([undefined, undefined]);
  const asked: string[] = [];
  const context = createContext({
    AbortController,
    AbortSignal,
    Headers,
    Request,
    Response,
    TextDecoder,
    TextEncoder,
    URL,
    URLSearchParams,
    crypto,
    ReadableStream,
    TransformStream,
    setTimeout,
    clearTimeout,
    structuredClone,
    answer: (url: string) => {
      asked.push(url);
      const models = [
        { id: 'm', is_default: true, provider: 'x', is_scripted: true, dialect: 'openai-strict' },
      ];
      return Promise.resolve(Response.json({ models }));
    },
  });
  const answered: unknown = await runInContext(`${code};route(answer)`, context);
  expect([answered, asked]).toEqual(['[["m"],"function","function"]', ['https://chats.invalid/api/models']]);
});
