/**
 * Tests of `run_coding_agent`: a chat of the real `truecast serve` lets a real CLI work on a
 * repository, and ends with a validated value.
 */
import { mkdtemp, readdir, readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { JsonValue } from '../../packages/core/src/kit/json-value.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type {
  ScriptedTurn,
  TurnToolResult,
} from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { createdSchema, serve, type RunningServer } from '../cli/serve-fixture.ts';
import { submit } from '../openai-wire/start-wire.ts';
import { itWhole } from '../matrix.ts';
import {
  CLI_BIN_DIRS,
  codexEnvironment,
  describeRealCli,
  makeWorkplace,
  type Workplace,
} from './real-cli.ts';

vi.setConfig({ testTimeout: 240_000 });

const KEY = 'sk-test-key-that-must-stay-outside';
const schema = {
  type: 'object',
  properties: { file: { type: 'string' }, lines: { type: 'integer' } },
  required: ['file', 'lines'],
  additionalProperties: false,
};
const found = { file: 'nonce.txt', lines: 1 };
const format = { type: 'json_schema', json_schema: { name: 'found', schema } };
const workSchema = z.object({
  answer: z.unknown(),
  branch: z.string(),
  commits: z.array(z.string()),
  answer_text: z.string().exactOptional(),
});

const receiptSchema = z.object({ status: z.string() });
/** Time until a real CLI is working. */
const POLL = { timeout: 120_000, interval: 200 };

type Created = z.infer<typeof createdSchema>;
type Script = (turn: ScriptedTurn) => ScriptedReply | Promise<ScriptedReply>;

describeRealCli('claude', 'run_coding_agent with Claude Code', () => {
  let work: Workplace;
  let model: ScriptedModelServer;
  const folders: string[] = [];
  let chatScript: Script;
  let agentScript: Script;

  /** One server for the cases that leave it running. */
  let shared: RunningServer;
  let sharedFolder: string;

  beforeAll(async () => {
    work = await makeWorkplace({ 'nonce.txt': 'x\n' });
    model = await scriptedModelServer({
      key: KEY,
      script: (turn) => (turn.wire === 'openai-chat-completions' ? chatScript(turn) : agentScript(turn)),
    });
    sharedFolder = await makeFolder();
    shared = await start(sharedFolder);
  });
  afterAll(async () => {
    await shared[Symbol.asyncDispose]();
    await model.close();
    await work[Symbol.asyncDispose]();
    for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Starts a server in a folder. */
  async function start(folder: string): Promise<RunningServer> {
    const { PATH: _path, ...codex } = await codexEnvironment({ home: work.home, server: model, key: KEY });
    return serve(folder, [], {
      ...codex,
      TRUECAST_BASE_URL: model.openaiUrl,
      TRUECAST_API_KEY: KEY,
      ANTHROPIC_BASE_URL: model.anthropicUrl,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      IS_SANDBOX: '1',
      PATH: `${CLI_BIN_DIRS}${delimiter}${process.env['PATH'] ?? ''}`,
    });
  }

  async function makeFolder(): Promise<string> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'truecast-chat-')));
    folders.push(folder);
    const config = {
      models: ['local:scripted'],
      agents: { names: ['claude-code', 'codex'], sandbox: 'none', repository: work.repo },
    };
    await writeFile(join(folder, 'truecast.config.ts'), `export default ${JSON.stringify(config)};\n`);
    return folder;
  }

  const receiptOf = async ({ chat, request_id }: Created, server = shared): Promise<unknown> => {
    let receipt: unknown;
    for (let tries = 0; tries < 6; tries += 1) {
      receipt = await server.ask(`/api/chats/${chat.id}/requests/${request_id}?wait=30`);
      const { status } = receiptSchema.parse(receipt);
      if (status !== 'running' && status !== 'queued') break;
    }
    return receipt;
  };
  const ask = async (server: RunningServer): Promise<Created> =>
    createdSchema.parse(await server.ask('/api/chats', { content: 'Find it', response_format: format }));

  it('gives its typed value, its branch and its commits to the chat, whose own answer is validated', async () => {
    agentScript = ({ lastToolResult }) => {
      if (lastToolResult === undefined) {
        return reply.shell('echo done > made.txt && git add -A && git commit -qm made');
      }
      return lastToolResult.name === 'StructuredOutput' ? reply.text('Done.') : reply.json(found);
    };
    let told = '';
    chatScript = ({ lastToolResult }) => {
      if (lastToolResult === undefined) return delegate(schema);
      told = lastToolResult.text;
      const { answer } = workSchema.parse(JSON.parse(told));
      return submit(answer);
    };
    const receipt = await receiptOf(await ask(shared));
    expect(receipt, told).toMatchObject({ status: 'succeeded', value: found });
    const { branch, commits } = workSchema.parse(JSON.parse(told));
    expect(commits).toEqual([await work.git('rev-parse', branch)]);
    expect(await work.git('show', `${branch}:made.txt`)).toBe('done');
    expect(await work.git('status', '--porcelain')).toBe('');
  });

  describeRealCli('codex', 'run_coding_agent with Codex', () => {
    it('keeps every digit of a fraction that Codex wrote', async () => {
      const digits = '{"file":"nonce.txt","lines":0.12345678901234567890}';
      const fractions = { ...schema, properties: { ...schema.properties, lines: { type: 'number' } } };
      agentScript = ({ lastToolResult }) =>
        lastToolResult === undefined
          ? reply.shell('echo done > made.txt && git add -A && git commit -qm made')
          : reply.text(digits);
      let told = '';
      chatScript = ({ lastToolResult }) => {
        if (lastToolResult === undefined) return delegate(fractions, 'codex');
        told = lastToolResult.text;
        return submit(found);
      };
      expect(await receiptOf(await ask(shared)), told).toMatchObject({ status: 'succeeded' });
      const { branch, answer_text: text } = workSchema.parse(JSON.parse(told));
      expect(text).toBe(digits);
      expect(await work.git('show', `${branch}:made.txt`)).toBe('done');
    });
  });

  itWhole("returns an error to the model if the agent's answer is never valid", async () => {
    agentScript = () => reply.text('No JSON.');
    let told: TurnToolResult | undefined;
    chatScript = ({ lastToolResult }) => {
      if (lastToolResult === undefined) return delegate(schema);
      told = lastToolResult;
      return submit({ file: 'none', lines: 0 });
    };
    const receipt = await receiptOf(await ask(shared));
    expect(receipt).toMatchObject({ status: 'succeeded', value: { file: 'none' } });
    expect(told?.text).toMatch(/answer|output/u);
    expect(told?.text).not.toContain('"branch"');
  });

  it('ends with the turn that is interrupted: no process is left, and the result names the branch with its commit', async () => {
    const marker = `7${Date.now() % 1e6}`;
    agentScript = () => reply.shell(`git commit -q --allow-empty -m kept && touch began && sleep ${marker}`);
    chatScript = ({ lastToolResult }) => (lastToolResult === undefined ? delegate(schema) : submit(found));
    const asked = await ask(shared);
    await expect.poll(() => processIds(`sleep ${marker}`), POLL).not.toEqual([]);
    await shared.ask(`/api/chats/${asked.chat.id}/interrupt`, {});
    expect(await receiptOf(asked)).toMatchObject({
      status: 'canceled',
      error: { code: 'interrupted' },
    });
    await expect.poll(() => processIds(`sleep ${marker}`), POLL).toEqual([]);
    expect(await processIds(work.root)).toEqual([]);
    const messages = JSON.stringify(await shared.ask(`/api/chats/${asked.chat.id}/messages`));
    const [, branch = ''] = /on the branch `([^`]+)`/u.exec(messages) ?? [];
    expect(branch, messages).toContain(`truecast/claude-code-${asked.chat.id.slice(0, 8)}/`);
    expect(await work.git('log', '-1', '--format=%s', branch)).toBe('kept');
  });

  // In the short form, `crash.test.ts` kills the server of a tool with an effect, which is not called again.
  itWhole('is not rerun after `kill -9`: the model learns that its effect is unknown', async () => {
    const marker = `8${Date.now() % 1e6}`;
    let starts = 0;
    agentScript = () => {
      starts += 1;
      return reply.shell(`touch began && sleep ${marker}`);
    };
    let told: TurnToolResult | undefined;
    chatScript = ({ lastToolResult }) => {
      if (lastToolResult === undefined) return delegate(schema);
      told = lastToolResult;
      return submit(found);
    };
    // The last test of the file: it kills the server, and starts the next one.
    const asked = await ask(shared);
    await expect.poll(() => processIds(`sleep ${marker}`), POLL).not.toEqual([]);
    const startsBefore = starts;
    await shared.end('SIGKILL');
    // Without a sandbox, the processes of a killed server keep running.
    for (const pid of await processIds(`sleep ${marker}`)) process.kill(pid, 'SIGKILL');
    agentScript = () => reply.text('Over.');
    shared = await start(sharedFolder);
    expect(await receiptOf(asked)).toMatchObject({ status: 'succeeded', value: found });
    expect(told?.text).toContain('It is unknown');
    expect(starts).toBe(startsBefore);
  });
});

function delegate(schemaOf: JsonValue, agent = 'claude-code'): ScriptedReply {
  return reply.tool('run_coding_agent', {
    agent,
    task: 'Which file is there?',
    schema: schemaOf,
  });
}

/** Finds processes by part of their command line or working directory. */
async function processIds(needle: string): Promise<number[]> {
  const found: number[] = [];
  for (const id of await readdir('/proc')) {
    if (!/^\d+$/u.test(id)) continue;
    const line = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
    const folder = await readlink(`/proc/${id}/cwd`).catch(() => '');
    if (line.replaceAll('\0', ' ').startsWith(needle) || folder.startsWith(needle)) found.push(Number(id));
  }
  return found;
}
