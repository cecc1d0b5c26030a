/**
 * Tests of `agent/claude-code`: the real Claude Code behind OpenAI's wire answers the official
 * client's `parse`.
 */
import { delimiter } from 'node:path';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { agentRunner } from '../../packages/server/src/serve/agent-runner.ts';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { serveRoutes } from '../openai-wire/start-wire.ts';
import { itWhole } from '../matrix.ts';
import { CLI_BIN_DIRS, describeRealCli, makeWorkplace, type Workplace } from './real-cli.ts';

vi.setConfig({ testTimeout: 240_000 });

const KEY = 'sk-test-key-that-must-stay-outside';
const Found = z.object({ file: z.string(), lines: z.int() });
const found = { file: 'nonce.txt', lines: 1 };
const model = 'agent/claude-code:claude-opus-4-8';

describeRealCli('claude', 'agent/claude-code behind the OpenAI wire', () => {
  const saved = { ...process.env };
  let work: Workplace;
  let server: ScriptedModelServer;

  // Assigned key by key: `os.homedir()` reads the process's own environment, not an object that
  // replaces it.
  const setEnvironment = (values: Readonly<Record<string, string | undefined>>): void => {
    for (const name of Object.keys(process.env)) if (!(name in values)) delete process.env[name];
    Object.assign(process.env, values);
  };
  beforeAll(async () => {
    work = await makeWorkplace({ 'nonce.txt': 'x\n' });
  });
  beforeEach(() => {
    setEnvironment({
      ...saved,
      PATH: `${CLI_BIN_DIRS}${delimiter}${saved['PATH'] ?? ''}`,
      HOME: work.home,
      IS_SANDBOX: '1',
    });
  });
  afterEach(async () => {
    setEnvironment(saved);
    await server.close();
  });
  afterAll(() => work[Symbol.asyncDispose]());

  async function start(script: ModelScript): ReturnType<typeof serveRoutes> {
    server = await scriptedModelServer({ script, key: KEY });
    Object.assign(process.env, {
      ANTHROPIC_BASE_URL: server.anthropicUrl,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    });
    const find = (): Promise<never> => Promise.reject(new UsageError('There are no models here.'));
    return serveRoutes({
      models: { find, list: () => [] },
      agents: agentRunner({ sandbox: noSandbox(), cwd: work.repo, agents: ['claude-code'] }),
      limits: { keepAliveMs: 100 },
    });
  }

  it('returns a parsed value, and reports where its commits are', async () => {
    await using wire = await start([
      reply.shell('echo done > made.txt && git add -A && git commit -qm made'),
      reply.json(found),
      reply.text('Done.'),
    ]);
    const completion = await wire.client.chat.completions.parse({
      model,
      messages: [{ role: 'user', content: 'Which file is there?' }],
      response_format: zodResponseFormat(Found, 'found'),
    });
    expect(completion.choices[0]?.message.parsed).toEqual(found);
    const told = z
      .object({ truecast: z.object({ branch: z.string(), commits: z.array(z.string()).length(1) }) })
      .parse(completion);
    expect(await work.git('show', `${told.truecast.branch}:made.txt`)).toBe('done');
    expect(await work.git('status', '--porcelain')).toBe('');
    expect(completion.usage?.total_tokens).toBeGreaterThan(0);
  });

  // `test/openai-wire` streams responses with keep-alives in the short form.
  itWhole('returns a parsed value through a response stream with keep-alives', async () => {
    await using wire = await start([reply.delay(3_000, reply.json(found)), reply.text('Done.')]);
    const stream = wire.client.responses.stream({
      model,
      input: 'Which file is there?',
      text: { format: zodTextFormat(Found, 'found') },
    });
    expect((await stream.finalResponse()).output_parsed).toEqual(found);
  });

  itWhole('returns text if no format is requested, and is listed as a model', async () => {
    await using wire = await start([reply.text('It is nonce.txt.')]);
    const completion = await wire.client.chat.completions.create({
      model: 'agent/claude-code',
      messages: [{ role: 'user', content: 'Which file is there?' }],
    });
    expect(completion.choices[0]?.message.content).toBe('It is nonce.txt.');
    const { data } = await wire.client.models.list();
    expect(data).toMatchObject([{ id: 'agent/claude-code', object: 'model' }]);
  });

  it('is started once for an answer that never fits', async () => {
    await using wire = await start(() => reply.text('No JSON.'));
    const asked = wire.client.chat.completions.parse({
      model,
      messages: [{ role: 'user', content: 'Which file is there?' }],
      response_format: zodResponseFormat(Found, 'found'),
    });
    await expect(asked).rejects.toMatchObject({ status: 422, code: 'structured_output_not_produced' });
    expect(wire.calls).toEqual(['POST /v1/chat/completions 422']);
  });
});
