/**
 * Tests of features that `truecast.config.ts` enables: tools of MCP servers, workspaces in a
 * sandbox, and agents.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { FORM } from '../matrix.ts';
import { submit } from '../openai-wire/start-wire.ts';
import { MAIN, temporaryFolder } from './cli-fixture.ts';
import { createdSchema, QUESTION, serveBeside, type AnyServer } from './serve-fixture.ts';

const TIMEOUT_MS = 90_000;
const MCP = fileURLToPath(new URL('../../packages/server/src/tools/test-mcp-server.ts', import.meta.url));
/** The package of the command: a build has its server beside it, and the short form runs the sources. */
const SERVER =
  FORM === 'whole' && process.env['TRUECAST_COMMAND'] === 'built'
    ? join(dirname(MAIN), '../../@truecast/server/dist/index.mjs')
    : fileURLToPath(new URL('../../packages/server/src/index.ts', import.meta.url));

type Script = (turn: ScriptedTurn) => ScriptedReply;

interface Asked {
  readonly server: AnyServer;
  readonly cwd: string;
  /** Asks in a new chat, whose answer is 7. Returns the chat's id. */
  ask(content: string): Promise<string>;
}

/** Serves a configuration to a model. `isByFunction`: one is enough, it loads the package of the server. */
async function ask(
  config: object,
  script: Script,
  play: (asked: Asked) => Promise<void>,
  { isByFunction = false } = {},
): Promise<void> {
  const cwd = temporaryFolder();
  const text = JSON.stringify(config);
  await writeFile(
    join(cwd, 'truecast.config.ts'),
    isByFunction
      ? `import { defineServerConfig } from '${SERVER}';\nexport default defineServerConfig(${text});\n`
      : `export default ${text};\n`,
  );
  await using model = await scriptedModelServer({ script });
  const env = { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted' };
  await using server = await serveBeside(cwd, [], env);
  await play({
    server,
    cwd,
    ask: async (content) => {
      const question = { ...QUESTION, content };
      const { chat, request_id: id } = createdSchema.parse(await server.ask('/api/chats', question));
      const receipt = await server.ask(`/api/chats/${chat.id}/requests/${id}?wait=60`);
      expect(receipt, server.said()).toMatchObject({ status: 'succeeded', value: { answer: 7 } });
      return chat.id;
    },
  });
  expect(await server.end('SIGTERM')).toBe(0);
}

const TOOLS = {
  mcpServers: [{ name: 'test', command: process.execPath, args: [MCP] }],
  limits: { maxSteps: 10 },
};

/** Calls `shout`, writes a file and prints its user, and then answers. */
function useTools({ turnIndex, lastToolResult }: ScriptedTurn, results: string[]): ScriptedReply {
  if (lastToolResult !== undefined) results.push(lastToolResult.text);
  if (turnIndex === 0) return reply.tool('shout', { text: 'hello' });
  if (turnIndex === 1) {
    return reply.tool('run_command', { command: 'echo kept > note.txt; cat ../../../s.json; pwd' });
  }
  return submit({ answer: 7 });
}

/** Has another agent count, and answers with its number. */
function delegate({ lastToolResult }: ScriptedTurn): ScriptedReply {
  if (lastToolResult === undefined) return reply.tool('spawn_agent', { prompt: 'Count' });
  const id = /[0-9a-f-]{36}/u.exec(lastToolResult.text)?.[0] ?? '';
  if (lastToolResult.name === 'spawn_agent') return reply.tool('wait_agent', { chat_id: id });
  return submit({ answer: lastToolResult.text.includes('Seven.') ? 7 : 0 });
}

function noteOf({ cwd }: Asked, chatId: string): Promise<string> {
  return readFile(join(cwd, '.truecast/workspaces', chatId, 'note.txt'), 'utf8');
}

const describeInBubblewrapInFull: typeof describeInBubblewrap = (title, declare) => {
  if (FORM === 'whole') describeInBubblewrap(title, declare);
};

describe('a configuration', { timeout: TIMEOUT_MS }, () => {
  it('gives chats tools of an MCP server, a folder for commands, other agents, and coding agents', async () => {
    const results: string[] = [];
    const offered: string[][] = [];
    const script: Script = (turn) => {
      if (turn.userText === 'Use tools') return useTools(turn, results);
      offered.push(turn.tools.map(({ name }) => name));
      return turn.userText === 'Count' ? reply.text('Seven.') : delegate(turn);
    };
    const agents = { names: ['claude-code'], sandbox: 'none' };
    const config = { ...TOOLS, workspace: { sandbox: 'none' }, subagents: true, agents };
    const play = async (asked: Asked): Promise<void> => {
      expect(await noteOf(asked, await asked.ask('Use tools'))).toBe('kept\n');
      expect(results[0]).toContain('HELLO');
      expect(results[1]).toContain('.truecast/workspaces/');
      expect(results[1]).toContain('properties');

      await asked.ask('Have it counted');
      const [first] = offered;
      expect(first).toEqual(expect.arrayContaining(['run_coding_agent', 'spawn_agent', 'wait_agent']));
      // A child has no children.
      expect(offered.some((names) => !names.includes('spawn_agent'))).toBe(true);

      const { url, token } = asked.server;
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token });
      expect(await client.models.retrieve('agent/claude-code')).toMatchObject({ object: 'model' });
    };
    await ask(config, script, play, { isByFunction: true });
  });
});

// In the short form, `serve-workspaces.test.ts` works in bubblewrap, and sees no folder of the server.
describeInBubblewrapInFull('a workspace in bubblewrap', () => {
  it(
    'keeps its files on the host, and shows nothing of the server’s own folder',
    { timeout: TIMEOUT_MS },
    async () => {
      const results: string[] = [];
      const config = { ...TOOLS, workspace: { sandbox: 'bubblewrap' } };
      await ask(
        config,
        (turn) => useTools(turn, results),
        async (asked) => {
          expect(await noteOf(asked, await asked.ask('Use tools'))).toBe('kept\n');
        },
      );
      expect(results[1]).not.toContain('properties');
    },
  );
});
