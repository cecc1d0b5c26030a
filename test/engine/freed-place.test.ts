/**
 * Places of a real engine: a reply that is ended because it runs away is ended at the engine too, whose one
 * place takes the next request. Work is counted by the engine itself.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../packages/client/src/create-client.ts';
import { isRecord } from '../../packages/core/src/kit/is-record.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { generate } from '../../packages/model/src/generate.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { createChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import { openAIClient } from './askers/peer-askers.ts';
import { findEngine, startEngine, type RunningEngine } from './start-engine.ts';

/** The engine can write nothing but this phrase, until its window is full. */
const ENDLESS = String.raw`root ::= "neurodegenerative " root`;
/**
 * Token of ` neurodegenerative` in the weights beside the engine, which has few longer ones. Preferred, it writes
 * the phrase in an eighth of the tokens: else the engine spells it. Other weights have another token there, which the grammar forbids.
 */
const PREFERRED = '35157+30';
/** Speculative decoding: the engine drafts six tokens from its earlier text. */
const SELF_DRAFT = '--spec-type ngram-map-k --spec-ngram-map-k-size-n 4 --spec-ngram-map-k-size-m 6'.split(
  ' ',
);
const WINDOW = 4_096;
/** The phrase is ended at 2,000 characters, and a token has one or more. A reply that goes on has some 4,000. */
const ENDED_TOKENS = 2_200;
const PROMPT = 'Write about the tide.';

type Ask = (url: string) => Promise<void>;

/** A server over the engine, with a text as its answer. */
async function onServer(
  engineUrl: string,
  ask: (server: { readonly url: string; readonly token: string }) => Promise<void>,
): Promise<void> {
  const environment = { TRUECAST_BASE_URL: engineUrl };
  await using server = await createChatServer({
    port: 0,
    databaseUrl: ':memory:',
    models: ['local:small'],
    environment,
  });
  const { token } = await server.createToken({ name: 'test' });
  await ask({ url: server.url, token });
}

const ROUTES: Readonly<Record<string, Ask>> = {
  'generate()': async (url) => {
    const body = { response_format: { type: 'text' } };
    const model = openAICompatible({ baseURL: url, model: 'small', body });
    const output = Output.string({ tag: 'answer' });
    const asked = generate({ model, prompt: PROMPT, output, maxCorrections: 0 });
    await expect(asked).rejects.toHaveProperty('code', 'runaway');
  },
  '/v1': (url) =>
    onServer(url, async ({ url: baseURL, token }) => {
      const client = openAIClient({ url: `${baseURL}/v1`, apiKey: token });
      const messages = [{ role: 'user' as const, content: PROMPT }];
      const completion = await client.chat.completions.create({ model: 'local:small', messages });
      expect(completion.choices[0]?.finish_reason).toBe('length');
    }),
  'a chat': (url) =>
    onServer(url, async ({ url: baseURL, token }) => {
      const chat = createClient({ baseURL, token }).chat();
      await chat.send({ content: [{ type: 'text', text: PROMPT }] });
      await expect.poll(async () => (await chat.read()).status, { timeout: 500_000 }).toBe('waiting');
    }),
};

/** Tokens that the engine wrote since its start, and its requests that are open now. */
async function workOf(origin: string): Promise<{ readonly written: number; readonly open: number }> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const read = (name: string): number =>
    Number(new RegExp(`^llamacpp:${name} (\\d+)$`, 'mu').exec(text)?.[1]);
  return {
    written: read('tokens_predicted_total'),
    open: read('requests_processing') + read('requests_deferred'),
  };
}

/** A short request of another client. */
async function askNext(url: string): Promise<unknown> {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'small',
      messages: [{ role: 'user', content: 'Say ok.' }],
      max_tokens: 4,
      grammar: 'root ::= "ok"',
    }),
  });
  const body: unknown = await response.json();
  const [choice] = isRecord(body) && Array.isArray(body['choices']) ? body['choices'].filter(isRecord) : [];
  return isRecord(choice?.['message']) ? choice['message']['content'] : body;
}

/** Writes the phrase for longer than any route reads, and names the requests that nobody closed. */
async function startImitation(): Promise<{
  readonly server: ScriptedModelServer;
  readonly open: () => number;
}> {
  const signals: AbortSignal[] = [];
  const script: ModelScript = ({ userText, signal }) => {
    if (userText.includes('Say ok.')) return reply.text('ok');
    signals.push(signal);
    return reply.text('information '.repeat(100_000), { chunkChars: 1_200 });
  };
  const server = await scriptedModelServer({ script, localServer: 'llama.cpp' });
  return { server, open: () => signals.filter(({ aborted }) => !aborted).length };
}

const TITLE = 'a reply that $route ends is written no further, and the one place takes the next request';
const CASES = Object.entries(ROUTES).map(([route, ask]) => ({ route, ask }));
const files = findEngine(process.env);

/** One engine for all routes. */
let engine: RunningEngine | undefined;
beforeAll(async () => {
  const extra = ['--metrics', '--grammar', ENDLESS, '--logit-bias', PREFERRED, ...SELF_DRAFT];
  if (files !== undefined) engine = await startEngine(files, { contextTokens: WINDOW, extra });
});
afterAll(() => engine?.[Symbol.asyncDispose]());

it.each(files === undefined ? [] : CASES)(`llama-server: ${TITLE}`, { timeout: 900_000 }, async ({ ask }) => {
  const { url } = engine as RunningEngine;
  const origin = url.replace(/\/v1$/u, '');
  const before = await workOf(origin);
  await ask(url);
  expect(await askNext(url)).toBe('ok');
  const after = await workOf(origin);
  const written = after.written - before.written;
  expect(after.open).toBe(0);
  expect(written).toBeGreaterThan(100);
  expect(written).toBeLessThan(ENDED_TOKENS);
});

it.each(CASES)(`its imitation: ${TITLE}`, async ({ ask }) => {
  const { server, open } = await startImitation();
  await using _ended = server;
  await ask(server.openaiUrl);
  expect(await askNext(server.openaiUrl)).toBe('ok');
  expect(open()).toBe(0);
});
