/** Credentials of owners through whole turns: the MCP server sees those of the chat's owner. */
import { expect, it } from 'vitest';
import { createClient } from '@truecast/client/internal/create-client';
import { reply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
import { scriptedModelServer } from '@truecast/testing/internal/scripted-model/scripted-model-server';
import { testMcpHttpServer } from '../tools/test-mcp-server.ts';
import { createChatServer } from './create-chat-server.ts';

const TIMEOUT_MS = 60_000;

it('turns of two owners use their own credentials, at the same time', { timeout: TIMEOUT_MS }, async () => {
  await using mcp = await testMcpHttpServer();
  const offered = new Map<string, boolean>();
  const arrived = Promise.withResolvers<void>();
  await using model = await scriptedModelServer({
    script: async ({ userText, tools, lastToolResult }) => {
      if (lastToolResult !== undefined) return reply.text(lastToolResult.text);
      const isOffered = tools.some(({ name }) => name === 'whoami');
      offered.set(userText, isOffered);
      if (offered.size === 3) arrived.resolve();
      // All turns have their tools before the first call.
      await arrived.promise;
      return isOffered ? reply.tool('whoami', {}) : reply.text('no tool');
    },
  });
  await using server = await createChatServer({
    port: 0,
    databaseUrl: ':memory:',
    environment: { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted' },
    mcpServers: [
      {
        name: 'tickets',
        url: mcp.url,
        owners: {
          anna: { headers: { 'x-key': 'key of anna' } },
          bert: { headers: { 'x-key': 'key of bert' } },
        },
      },
    ],
  });
  const answerFor = async (owner: string): Promise<string> => {
    const { token } = await server.createToken({ name: owner, owner });
    const chat = createClient({ baseURL: server.url, token }).chat();
    await chat.send({ content: owner });
    await expect.poll(async () => (await chat.read()).status, { timeout: 30_000 }).toBe('waiting');
    return JSON.stringify((await chat.messages()).messages);
  };
  const answers = await Promise.all(['anna', 'bert', 'carl'].map(answerFor));
  expect(Object.fromEntries(offered)).toEqual({ anna: true, bert: true, carl: false });
  for (const [index, keys] of [['key of anna'], ['key of bert'], []].entries()) {
    const seen = [...new Set(answers[index]?.match(/key of \w+/gu) ?? [])];
    expect(seen).toEqual(keys);
  }
});
