/** Chats whose model has a small window: on llama-server where it is installed, and on its imitation. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createClient } from '../../packages/client/src/create-client.ts';
import type { ClientChat } from '../../packages/client/src/client-chat.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { LocalServerName } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { createChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import { findEngine, startEngine } from '../engine/start-engine.ts';

const WINDOW = 4_096;
const MESSAGES = 14;
/** About 350 tokens. */
const LONG = 'The tide comes in at noon and the boat leaves the pier with salt and rope. '.repeat(18);

async function chatOn<TResult>(url: string, use: (chat: ClientChat) => Promise<TResult>): Promise<TResult> {
  const environment = { TRUECAST_BASE_URL: url };
  await using server = await createChatServer({
    port: 0,
    databaseUrl: ':memory:',
    models: ['local:small'],
    environment,
  });
  const { token } = await server.createToken({ name: 'test' });
  return await use(createClient({ baseURL: server.url, token }).chat());
}

/** Sends a message, and waits for the end of its turn. A real engine takes seconds, of which each read takes some. */
async function say(chat: ClientChat, text: string): Promise<string> {
  await chat.send({ content: [{ type: 'text', text }] });
  for (let pause = 10; ; pause = Math.min(pause * 2, 320)) {
    const { status } = await chat.read();
    if (status === 'waiting' || status === 'error') return status;
    await sleep(pause);
  }
}

async function sayAll(
  chat: ClientChat,
  text: string = LONG,
  messages = MESSAGES,
): Promise<readonly string[]> {
  const statuses: string[] = [];
  for (let count = 1; count <= messages; count += 1) statuses.push(await say(chat, `${count}. ${text}`));
  return statuses;
}

const WAITING = Array.from({ length: MESSAGES }, () => 'waiting');

it.each<[string, LocalServerName]>([
  ['that reports its window', 'llama.cpp'],
  ['that only refuses what is longer', 'llama-cpp-python'],
])('14 long messages to an engine %s leave the chat alive', async (_name, localServer) => {
  await using engine = await scriptedModelServer({
    localServer,
    contextTokens: WINDOW,
    script: ({ userText }) =>
      reply.text(userText.includes('<conversation>') ? 'Tides and a boat.' : `I see. ${LONG.slice(0, 400)}`),
  });
  expect(await chatOn(engine.openaiUrl, (chat) => sayAll(chat))).toEqual(WAITING);
  const summaries = engine.turns.filter(({ userText }) => userText.includes('<conversation>'));
  expect(summaries.length).toBeGreaterThanOrEqual(2);
  expect(engine.failures).toEqual([]);
});

it('a message that fits is answered after one that did not', async () => {
  await using engine = await scriptedModelServer({
    localServer: 'llama.cpp',
    contextTokens: WINDOW,
    script: () => reply.text('I see.'),
  });
  await chatOn(engine.openaiUrl, async (chat) => {
    expect(await say(chat, LONG.repeat(20))).toBe('error');
    expect(await say(chat, 'And now?')).toBe('waiting');
    expect(await say(chat, LONG.repeat(9))).toBe('waiting');
  });
});

it('a model that writes no summary leaves the shortened conversation', async () => {
  await using engine = await scriptedModelServer({
    localServer: 'llama.cpp',
    contextTokens: WINDOW,
    script: ({ userText }) => reply.text(userText.includes('<conversation>') ? ' ' : LONG.slice(0, 400)),
  });
  expect(await chatOn(engine.openaiUrl, (chat) => sayAll(chat))).toEqual(WAITING);
});

const files = findEngine(process.env);
if (files === undefined) process.stderr.write('small windows: no llama-server, so only its imitation.\n');

/**
 * Half of the messages, with an eighth of the window: the engine reads each prompt, and the fewest tokens that overflow.
 * It can write one sentence.
 */
const ONE_SENTENCE = ['--grammar', 'root ::= "Tides."'];
it.each(files === undefined ? [] : [files])(
  'seven messages that overflow the window of llama-server leave the chat alive',
  { timeout: 900_000 },
  async (found) => {
    await using engine = await startEngine(found, { contextTokens: WINDOW / 8, extra: ONE_SENTENCE });
    const short = LONG.slice(0, LONG.length / 6);
    const statuses = await chatOn(engine.url, (chat) => sayAll(chat, short, MESSAGES / 2));
    expect(statuses).toEqual(WAITING.slice(MESSAGES / 2));
  },
);
