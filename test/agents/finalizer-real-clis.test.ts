/**
 * Tests of `mode: "mcp"` with the real CLIs: the agent corrects wrong answers in its own loop, with
 * and without a sandbox.
 */
import { delimiter } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { z } from 'zod';
import { StructuredOutputError } from '../../packages/core/src/errors/structured-output-error.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { codex } from '../../packages/truecast/src/agents/codex/codex.ts';
import { copilot } from '../../packages/truecast/src/agents/copilot/copilot.ts';
import { opencode } from '../../packages/truecast/src/agents/opencode/opencode.ts';
import { geminiCli } from '../../packages/truecast/src/agents/gemini-cli/gemini-cli.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import type { JsonValue } from '../../packages/core/src/kit/json-value.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { reply, type MessageReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { describeInBubblewrap, runsBubblewrap } from '../describe-in-bubblewrap.ts';
import { FORM, matrixRow } from '../matrix.ts';
import { triedRows } from './cli-cases.ts';
import {
  CLI_BIN_DIRS,
  describeRealCli,
  makeWorkplace,
  OPENCODE_CONFIGURED,
  type RealCli,
  type Workplace,
  quickStart,
} from './real-cli.ts';

/** OpenCode takes 3 s to start on an idle machine. A test starts it several times. */
vi.setConfig({ testTimeout: 240_000 });

const KEY = 'sk-test-key-that-must-stay-outside';
const schema = z.object({ nonce: z.string() });

interface Case {
  readonly cli: RealCli;
  readonly title: string;
  /**
   * True if the CLI validates calls against the tool's schema itself. It rejects invalid calls,
   * which are never submitted.
   */
  readonly isChecking?: boolean;
  agent(server: ScriptedModelServer): AgentProvider;
  environment(server: ScriptedModelServer): Readonly<Record<string, string>>;
}

const CASES: readonly Case[] = [
  {
    cli: 'claude',
    title: 'Claude Code',
    agent: () => claudeCode('claude-opus-4-8'),
    environment: ({ anthropicUrl }) => ({
      ANTHROPIC_BASE_URL: anthropicUrl,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      IS_SANDBOX: '1',
    }),
  },
  {
    cli: 'opencode',
    title: 'OpenCode',
    agent: ({ openaiUrl }) => opencode('local/scripted', { baseURL: openaiUrl }),
    environment: () => ({ OPENAI_API_KEY: KEY, ...OPENCODE_CONFIGURED }),
  },
  {
    cli: 'codex',
    title: 'Codex',
    agent: ({ openaiUrl }) => codex('gpt-5.4', { baseURL: openaiUrl }),
    environment: ({ openaiUrl }) => ({ OPENAI_BASE_URL: openaiUrl, OPENAI_API_KEY: KEY }),
  },
  {
    cli: 'gemini',
    title: 'Gemini CLI',
    isChecking: true,
    agent: ({ geminiUrl }) => geminiCli('gemini-2.5-pro', { baseURL: geminiUrl }),
    environment: () => ({ GEMINI_API_KEY: KEY }),
  },
  {
    cli: 'copilot',
    title: 'Copilot',
    agent: () => copilot('scripted'),
    environment: ({ openaiUrl }) => ({
      COPILOT_PROVIDER_BASE_URL: openaiUrl,
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_OFFLINE: 'true',
    }),
  },
];

const SANDBOXES: Readonly<Record<string, () => SandboxProvider>> = {
  'without a sandbox': () => noSandbox(),
  'in bubblewrap, which reaches its model alone': () => bubblewrap({ egress: 'model', ...quickStart() }),
};

/** Calls the finalizer by this CLI's name for it. */
function submit(turn: ScriptedTurn, ...outputs: readonly JsonValue[]): MessageReply {
  const tool = turn.tools.find(({ name }) => name.endsWith(FINALIZER_NAME));
  if (tool === undefined) throw new RangeError(`${FINALIZER_NAME} is not among the tools`);
  return reply.steps(outputs.map((output) => reply.tool(tool.name, { output })));
}

const ROWS = triedRows(CASES);

for (const { cli, title, isChecking = false, agent, environment } of CASES) {
  const row = ROWS.findIndex((tried) => tried.cli === cli);
  for (const [place, sandbox] of Object.entries(SANDBOXES)) {
    const isSandboxed = place !== 'without a sandbox';
    if (row < 0) continue;
    // `finalizer-settings.test.ts` tries the same outside of a sandbox.
    if (!isSandboxed && FORM === 'short') continue;
    if (isSandboxed && !runsBubblewrap) {
      describeInBubblewrap(`the finalizer with the real ${title} ${place}`, () => undefined);
      continue;
    }
    describeRealCli(cli, `the finalizer with the real ${title} ${place}`, () => {
      // The second row, which is Codex in the short form, tries what takes two starts.
      const itInMatrix = matrixRow(row + 1, { rows: ROWS.length });
      const saved = { ...process.env };
      let nonce: string;
      let work: Workplace;
      let server: ScriptedModelServer;

      // Assigned key by key: `os.homedir()` reads the process's own environment, not an object that
      // replaces it.
      const setEnvironment = (values: Readonly<Record<string, string | undefined>>): void => {
        for (const name of Object.keys(process.env)) if (!(name in values)) delete process.env[name];
        Object.assign(process.env, values);
      };
      beforeAll(async () => {
        nonce = `nonce-${crypto.randomUUID()}`;
        work = await makeWorkplace({ 'nonce.txt': `${nonce}\n` });
      });
      beforeEach(() => {
        setEnvironment({
          ...saved,
          PATH: `${CLI_BIN_DIRS}${delimiter}${saved['PATH'] ?? ''}`,
          HOME: work.home,
        });
      });
      afterEach(async () => {
        setEnvironment(saved);
        await server.close();
      });
      afterAll(() => work[Symbol.asyncDispose]());

      async function start(script: ModelScript): Promise<Omit<RunOptions, 'output'>> {
        server = await scriptedModelServer({ script, key: KEY });
        Object.assign(process.env, environment(server));
        return {
          agent: agent(server),
          sandbox: sandbox(),
          cwd: work.repo,
          branchStrategy: { type: 'merge-to-head' },
          prompt: 'Find the nonce.',
          timeouts: { idleMs: 100_000 },
        };
      }

      itInMatrix('receives a tool error, and corrects its answer in the same process', async () => {
        const options = await start([
          (turn) => submit(turn, { nonce: 7 }),
          (turn) => submit(turn, { nonce: turn.lastToolResult?.text ?? '' }),
          () => reply.text('Done.'),
        ]);
        const result = await run({ ...options, output: Output.object({ mode: 'mcp', schema }) });

        expect(server.failures).toEqual([]);
        expect(result.output.nonce).toContain(
          isChecking
            ? 'params/output/nonce must be string'
            : 'nonce: Invalid input: expected string, received number (got 7)',
        );
        expect(result.provenance).toMatchObject({
          mode: 'mcp',
          raw: JSON.stringify(result.output),
          attempts: [
            ...(isChecking ? [] : [{ code: 'schema-mismatch', rawMatched: '{"nonce":7}' }]),
            { code: 'ok' },
          ],
        });
        expect(result.iterations).toHaveLength(1);
        expect(server.turns[0]?.userText).toContain(FINALIZER_NAME);
      });

      itInMatrix(
        'is answered by the caller’s own check, which runs on the host and in the sandbox',
        async () => {
          const options = await start([
            (turn) => submit(turn, { nonce: 'guessed' }),
            (turn) =>
              submit(turn, {
                nonce: /"(?<said>nonce-[\w-]+)/u.exec(turn.lastToolResult?.text ?? '')?.[1] ?? '',
              }),
            () => reply.text('Done.'),
          ]);
          const output = Output.object({
            mode: 'mcp',
            schema,
            async check(value, { exec }) {
              const { stdout } = await exec('cat nonce.txt');
              return value.nonce === stdout.trim() ? undefined : `It is "${stdout.trim()}"`;
            },
          });
          const result = await run({ ...options, output });

          expect(result.output).toEqual({ nonce });
          expect(result.provenance.attempts.map(({ code }) => code)).toEqual(['schema-mismatch', 'ok']);
          expect(result.iterations).toHaveLength(1);
        },
      );

      itInMatrix('is prompted again in its session when it ended without a call', async () => {
        const options = await start([
          () => reply.text('{"nonce":"said, not handed in"}'),
          (turn) => submit(turn, { nonce: turn.userText }),
          () => reply.text('Done.'),
        ]);
        const result = await run({
          ...options,
          output: Output.object({ mode: 'mcp', schema, maxCorrections: 1 }),
        });

        expect(result.output.nonce).toContain(`Call the tool \`${FINALIZER_NAME}\` now`);
        expect(result.provenance.attempts.map(({ code }) => code)).toEqual(['not-produced', 'ok']);
        expect(result.iterations).toHaveLength(2);
        expect(JSON.stringify(server.turns.at(-1)?.messages)).toContain('Find the nonce.');
      });

      itInMatrix('hands in one answer, however often it calls', async () => {
        const options = await start([
          (turn) => submit(turn, { nonce: 'first' }, { nonce: 'second' }),
          (turn) => submit(turn, { nonce: 'third' }),
          (turn) => reply.text(turn.lastToolResult?.text ?? ''),
        ]);
        const result = await run({ ...options, output: Output.object({ mode: 'mcp', schema }) });

        // Some CLIs make the calls of one turn in parallel.
        expect(['first', 'second']).toContain(result.output.nonce);
        expect(result.stdout).toContain('Refused: an answer was accepted before');
      });

      itInMatrix('fails with every rejected answer when none is valid', async () => {
        const options = await start([
          (turn) => submit(turn, 1),
          (turn) => submit(turn, { nonce: null }),
          () => reply.text('{"nonce":"I give up"}'),
        ]);
        const failure: unknown = await run({
          ...options,
          output: Output.object({ mode: 'mcp', schema }),
        }).catch((error: unknown) => error);

        if (!StructuredOutputError.isInstance(failure)) throw failure;
        expect(failure.code).toBe(isChecking ? 'not-produced' : 'schema-mismatch');
        expect(failure.attempts.map(({ rawMatched }) => rawMatched)).toEqual(
          isChecking ? [undefined] : ['1', '{"nonce":null}'],
        );
        expect(failure.sessionId).toBeDefined();
      });

      itInMatrix('takes an answer that is no object', async () => {
        const options = await start([(turn) => submit(turn, [{ nonce: 'a' }]), () => reply.text('Done.')]);
        const result = await run({ ...options, output: Output.array({ mode: 'mcp', element: schema }) });

        expect(result.output).toEqual([{ nonce: 'a' }]);
      });
    });
  }
}
