/**
 * Tests of features that `truecast.config.ts` enables: tools of MCP servers, workspaces in a
 * sandbox, and the OpenAI wire.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { submit } from '../openai-wire/start-wire.ts';
import { temporaryFolder } from './cli-fixture.ts';
import { createdSchema, QUESTION, serve } from './serve-fixture.ts';

const TIMEOUT_MS = 90_000;
const MCP = fileURLToPath(new URL('../../packages/server/src/tools/test-mcp-server.ts', import.meta.url));
const SERVER = fileURLToPath(new URL('../../packages/server/src/index.ts', import.meta.url));

/**
 * Serves a configuration to a model that calls `shout`, writes a file and prints its user, and then
 * answers.
 */
async function useTools(
  sandbox: string,
): Promise<{ readonly written: string; readonly results: readonly string[] }> {
  const cwd = temporaryFolder();
  const config = {
    workspace: { sandbox },
    mcpServers: [{ name: 'test', command: process.execPath, args: [MCP] }],
    limits: { maxSteps: 10 },
  };
  // One configuration by the function is enough: it loads the server's sources.
  const text =
    sandbox === 'none'
      ? `import { defineServerConfig } from '${SERVER}';\nexport default defineServerConfig(${JSON.stringify(config)});\n`
      : `export default ${JSON.stringify(config)};\n`;
  await writeFile(join(cwd, 'truecast.config.ts'), text);
  const results: string[] = [];
  await using model = await scriptedModelServer({
    script: ({ turnIndex, lastToolResult }) => {
      if (lastToolResult !== undefined) results.push(lastToolResult.text);
      if (turnIndex === 0) return reply.tool('shout', { text: 'hello' });
      if (turnIndex === 1) {
        return reply.tool('run_command', { command: 'echo kept > note.txt; cat ../../../s.json; pwd' });
      }
      return submit({ answer: 7 });
    },
  });
  const env = { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted' };
  await using server = await serve(cwd, [], env);
  const { chat, request_id: requestId } = createdSchema.parse(await server.ask('/api/chats', QUESTION));
  const receipt = await server.ask(`/api/chats/${chat.id}/requests/${requestId}?wait=60`);
  expect(receipt, server.said()).toMatchObject({ status: 'succeeded', value: { answer: 7 } });
  expect(await server.end('SIGTERM')).toBe(0);
  const written = await readFile(join(cwd, '.truecast/workspaces', chat.id, 'note.txt'), 'utf8');
  return { written, results };
}

describe('a configuration', { timeout: TIMEOUT_MS }, () => {
  it('gives chats the tools of an MCP server, and a folder in which commands run', async () => {
    const { written, results } = await useTools('none');
    expect(written).toBe('kept\n');
    expect(results[0]).toContain('HELLO');
    expect(results[1]).toContain('.truecast/workspaces/');
    expect(results[1]).toContain('properties');
  });
});

it('gives chats other agents to work for them, and coding agents', { timeout: TIMEOUT_MS }, async () => {
  const cwd = temporaryFolder();
  const config = { subagents: true, agents: { names: ['claude-code'], sandbox: 'none' } };
  await writeFile(join(cwd, 'truecast.config.ts'), `export default ${JSON.stringify(config)};\n`);
  const offered: string[][] = [];
  await using model = await scriptedModelServer({
    script: ({ userText, tools, lastToolResult }) => {
      offered.push(tools.map(({ name }) => name));
      if (userText === 'Count') return reply.text('Seven.');
      if (lastToolResult === undefined) return reply.tool('spawn_agent', { prompt: 'Count' });
      const id = /[0-9a-f-]{36}/u.exec(lastToolResult.text)?.[0] ?? '';
      if (lastToolResult.name === 'spawn_agent') return reply.tool('wait_agent', { chat_id: id });
      return submit({ answer: lastToolResult.text.includes('Seven.') ? 7 : 0 });
    },
  });
  const env = { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted' };
  await using server = await serve(cwd, [], env);
  const { chat, request_id: requestId } = createdSchema.parse(await server.ask('/api/chats', QUESTION));
  const receipt = await server.ask(`/api/chats/${chat.id}/requests/${requestId}?wait=60`);
  expect(receipt, server.said()).toMatchObject({ status: 'succeeded', value: { answer: 7 } });
  const [first] = offered;
  expect(first).toEqual(expect.arrayContaining(['run_coding_agent', 'spawn_agent', 'wait_agent']));
  // A child has no children.
  expect(offered.some((names) => !names.includes('spawn_agent'))).toBe(true);
});

describeInBubblewrap('a workspace in bubblewrap', () => {
  it(
    'keeps its files on the host, and shows nothing of the server’s own folder',
    { timeout: TIMEOUT_MS },
    async () => {
      const { written, results } = await useTools('bubblewrap');
      expect(written).toBe('kept\n');
      expect(results[1]).not.toContain('properties');
    },
  );
});

describe('the OpenAI wire of truecast serve', { timeout: TIMEOUT_MS }, () => {
  it('answers the OpenAI client with a validated value, and refuses clients without a token', async () => {
    await using server = await serve(temporaryFolder());
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.token, maxRetries: 0 });
    const { choices } = await client.chat.completions.create({
      model: 'scripted:demo',
      messages: [{ role: 'user', content: 'How many?' }],
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'answer',
          schema: { type: 'object', properties: { answer: { type: 'integer' } }, required: ['answer'] },
        },
      },
    });
    expect(choices[0]?.message.content).toBe('{"answer":42}');
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual(['scripted:demo']);
    const unlisted = client.chat.completions.create({ model: 'openai:gpt-5.4', messages: [] });
    await expect(unlisted).rejects.toMatchObject({ status: expect.any(Number) });
    const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'tc_wrong', maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401 });
  });
});
