/** Holds `run()` to its promise with the real Claude Code and the real Codex in a container: no network, no key, files of the caller's. */
import { stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../src/output/finalizer/finalizer-tool.ts';
import { Output } from '../../src/output/output.ts';
import type { AgentProvider } from '../../src/run/agents/agent-provider.ts';
import { claudeCode } from '../../src/run/agents/claude-code.ts';
import { codex } from '../../src/run/agents/codex.ts';
import type { RunOptions } from '../../src/run/run-options.ts';
import { run } from '../../src/run/run.ts';
import { podman } from '../../src/run/sandboxes/podman.ts';
import type { JsonValue } from '../../src/schema/json-value.ts';
import type { ModelScript } from '../../src/testing/scripted-model/model-script.ts';
import { reply, type MessageReply } from '../../src/testing/scripted-model/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../src/testing/scripted-model/scripted-model-server.ts';
import type { ScriptedTurn } from '../../src/testing/scripted-model/scripted-turn.ts';
import { shellOutput } from '../../src/testing/scripted-model/shell-tools.ts';
import { describeWithEngine } from '../containers/describe-with-engine.ts';
import { TEST_IMAGE } from '../containers/test-engines.ts';
import { CLI_BIN_DIR, describeRealCli, makeWorkplace, type RealCli, type Workplace } from './real-cli.ts';

const KEY = 'sk-test-key-that-must-stay-outside';
const READ_AND_COMMIT =
  'cat nonce.txt && echo seen > seen.txt && git add seen.txt && git commit -q -m "add seen.txt"';

const schema = z.object({ nonce: z.string() });

/** Calls the finalizer by the name that the CLI gives it. */
function submit(turn: ScriptedTurn, output: JsonValue): MessageReply {
  const tool = turn.tools.find(({ name }) => name.endsWith(FINALIZER_NAME));
  if (tool === undefined) throw new RangeError(`${FINALIZER_NAME} is not among the tools`);
  return reply.tool(tool.name, { output });
}

interface Case {
  readonly cli: RealCli;
  readonly title: string;
  agent(server: ScriptedModelServer): AgentProvider;
}

const CASES: readonly Case[] = [
  { cli: 'claude', title: 'Claude Code', agent: () => claudeCode('claude-opus-4-8') },
  { cli: 'codex', title: 'Codex', agent: (server) => codex('gpt-5.4', { baseUrl: server.openaiUrl }) },
];

describeWithEngine('podman', 'run() in podman, which reaches the model alone', () => {
  const saved = { ...process.env };
  let work: Workplace;
  let nonce: string;

  beforeEach(async () => {
    nonce = `nonce-${crypto.randomUUID()}`;
    work = await makeWorkplace({ 'nonce.txt': `${nonce}\n` });
  });
  afterEach(async () => {
    await work[Symbol.asyncDispose]();
  });
  afterAll(() => {
    for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
    Object.assign(process.env, saved);
  });

  const answerByTag: ModelScript = [
    () => reply.shell(READ_AND_COMMIT),
    (turn) => reply.text(`<result>{"nonce":"${(shellOutput(turn) ?? '').trim()}"}</result>`),
  ];
  const answerByTool: ModelScript = [
    (turn) => submit(turn, { nonce: 7 }),
    (turn) => submit(turn, { nonce: turn.lastToolResult?.text ?? '' }),
    () => reply.text('Done.'),
  ];

  async function withModel(
    script: ModelScript,
    use: (server: ScriptedModelServer) => Promise<void>,
  ): Promise<void> {
    const server = await scriptedModelServer({ script, key: KEY });
    Object.assign(process.env, {
      PATH: `${CLI_BIN_DIR}${delimiter}${saved['PATH'] ?? ''}`,
      HOME: work.home,
      ANTHROPIC_BASE_URL: server.anthropicUrl,
      ANTHROPIC_API_KEY: KEY,
      OPENAI_BASE_URL: server.openaiUrl,
      OPENAI_API_KEY: KEY,
    });
    try {
      await use(server);
      expect(server.failures).toEqual([]);
    } finally {
      await server.close();
    }
  }

  const optionsFor = (agent: AgentProvider): Omit<RunOptions, 'output'> => ({
    agent,
    sandbox: podman({ imageName: TEST_IMAGE, egress: 'model' }),
    cwd: work.repo,
    branchStrategy: { type: 'merge-to-head' },
    prompt: 'Read nonce.txt, commit a note, and answer in a <result> tag.',
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
    idleTimeoutSeconds: 30,
  });

  for (const { cli, title, agent } of CASES) {
    describeRealCli(cli, title, () => {
      it('gives a typed answer made of what it read, beside its commit', async () => {
        await withModel(answerByTag, async (server) => {
          const output = Output.object({ tag: 'result', schema });
          const result = await run({ ...optionsFor(agent(server)), output });
          expect(result.output).toEqual({ nonce });
          expect(result.commits).toHaveLength(1);
          expect(await work.git('log', '-1', '--format=%s')).toBe('add seen.txt');
          expect((await stat(join(work.repo, 'seen.txt'))).uid).toBe(process.getuid?.());
          // The session was copied out of the container, so that it can be resumed.
          expect(result.iterations[0]?.sessionFilePath).toContain(result.iterations[0]?.sessionId);
          expect(JSON.stringify(server.requests.map(({ headers }) => headers))).toContain(KEY);
        });
      });

      it('hands its answer in by the tool, and is corrected in its own loop', async () => {
        await withModel(answerByTool, async (server) => {
          const result = await run({
            ...optionsFor(agent(server)),
            output: Output.object({ via: 'mcp', schema }),
          });
          expect(result.output.nonce).toContain('expected string, received number');
          expect(result.provenance).toMatchObject({
            route: 'mcp',
            attempts: [{ code: 'schema-mismatch' }, { code: 'ok' }],
          });
        });
      });
    });
  }
});
