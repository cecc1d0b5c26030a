/** Secrets on a server: log lines and error messages hold none, and answers are not altered. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { followTurn } from '../../packages/cli/src/serve/follow-turn.ts';
import { createClient } from '../../packages/client/src/create-client.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { createChatServer, type ChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import { tool } from '../../packages/server/src/tools/own-tool.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { ALL, DECLARED, expectNoSecret, FROM_FILE, PLANTED } from '../run/planted-secrets.ts';

const FAILING = 'refuse number ';
const told: string[] = [];
const log: string[] = [];
let model: ScriptedModelServer;
let server: ChatServer;
let token: string;

beforeAll(async () => {
  model = await scriptedModelServer({
    script: ({ userText, lastToolResult }) => {
      const [, number] = /refuse number (\d+)/u.exec(userText) ?? [];
      if (number !== undefined) {
        return reply.error(400, { message: `bad: ${PLANTED[Number(number)]?.[0]} .` });
      }
      if (userText.includes('tool') && lastToolResult === undefined) return reply.tool('leak', {});
      if (lastToolResult !== undefined) told.push(lastToolResult.text);
      return userText.includes('value')
        ? reply.tool(FINALIZER_NAME, { output: { all: ALL } })
        : reply.text(ALL);
    },
  });
  server = await createChatServer({
    port: 0,
    databaseUrl: ':memory:',
    environment: {
      TRUECAST_BASE_URL: model.openaiUrl,
      TRUECAST_MODEL: 'scripted',
      VAULT_TOKEN: FROM_FILE,
    },
    mcpServers: [
      { name: 'declares', command: '/no/such/program', env: { SETTING: DECLARED } },
      ...PLANTED.map(([text], at) => ({ name: `m${at}`, command: `/no/such/ ${text} .` })),
    ],
    tools: {
      leak: tool({
        description: 'Fails.',
        inputSchema: z.object({}),
        execute: (): never => {
          throw new TypeError(ALL);
        },
      }),
    },
    onLog: (line) => log.push(line),
    logLevel: 'debug',
  });
  token = (await server.createToken({ name: 'test' })).token;
});
afterAll(async () => {
  await server.close();
  await model.close();
});

function say(message: string): Promise<string> {
  return followTurn(createClient({ baseURL: server.url, token }).chat(), message, () => {});
}

async function complete(message: string, isStreamed = false): Promise<string> {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'local:scripted',
      messages: [{ role: 'user', content: message }],
      stream: isStreamed,
    }),
  });
  return response.text();
}

describe('secrets that a service, a tool or a program quotes', { timeout: 240_000 }, () => {
  it('are masked in the error of a chat', async () => {
    const ends = PLANTED.map((_, at) => say(`${FAILING}${at}`).catch((error: Error) => error.message));
    const messages = await Promise.all(ends);
    expect(messages.filter((text) => text.includes('It said: bad: '))).toHaveLength(PLANTED.length);
    expectNoSecret('the errors of chats', messages.join('\n'));
  });

  it.each([false, true])('are masked in the error of a completion, streamed: %s', async (isStreamed) => {
    const ends = await Promise.all(PLANTED.map((_, at) => complete(`${FAILING}${at}`, isStreamed)));
    expect(ends.filter((text) => text.includes('bad: '))).toHaveLength(PLANTED.length);
    expectNoSecret('the errors of completions', ends.join('\n'));
  });

  it('are masked in the failure of a tool, and in the log', async () => {
    await say('use the tool');
    expect(told).toEqual([expect.stringContaining('The tool failed: 0: ')]);
    expectNoSecret('the result of the tool', told.join('\n'));
    expect(log.join('\n')).toContain('The MCP server `m21` has no tools now');
    const failed = log.filter((line) => line.includes('"event":"service_message"'));
    // Of chats, and of completions whole and streamed.
    expect(failed).toHaveLength(PLANTED.length * 3);
    expectNoSecret('the log', log.join('\n'));
  });

  it('are returned unaltered in answers', async () => {
    expect(await say('hello')).toBe(ALL);
    expect(JSON.parse(await complete('hello'))).toMatchObject({ choices: [{ message: { content: ALL } }] });
    const chat = createClient({ baseURL: server.url, token }).chat();
    const output = Output.object({ schema: z.object({ all: z.string() }) });
    const { output: value, receipt } = await chat.ask({ prompt: 'a value', output });
    expect(value).toEqual({ all: ALL });
    expect(receipt.value_text).toBe(JSON.stringify({ all: ALL }));
  });
});
