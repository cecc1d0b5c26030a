/**
 * Tests of `acp()` with real agents that speak the protocol: Gemini CLI and OpenCode against the
 * scripted model. `acp-presets.test.ts` corrects their answers, also in bubblewrap.
 */
import { glob, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { acp } from '../../packages/truecast/src/agents/acp/acp.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { localIsolatedSandbox } from '../../packages/testing/src/local-isolated-sandbox.ts';
import type { JsonValue } from '../../packages/core/src/kit/json-value.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { reply, type MessageReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { withBundledBridge } from '../bundled-bridge.ts';
import { FORM, itWhole } from '../matrix.ts';
import {
  describeRealCli,
  workplaceForEach,
  openCodeConfig,
  OPENCODE_CONFIGURED,
  type RealCli,
} from './real-cli.ts';
import { answerInTag, COMMIT_SUBJECT, NONCE_FILE, readAndCommit } from './scripts.ts';

/** Each takes some seconds to start on an idle machine. A test starts one up to three times. */
vi.setConfig({ testTimeout: 240_000 });

const KEY = 'sk-test-key';
const schema = z.object({ nonce: z.string() });

const PLACES: readonly (readonly [place: string, sandbox: () => SandboxProvider])[] = [
  ['without a sandbox', () => noSandbox()],
  ['in an isolated sandbox', () => localIsolatedSandbox()],
];

const EVENTS = ['tool-call', 'tool-result', 'text', 'end'];

/** Calls a tool by this agent's name for it. */
function use(turn: ScriptedTurn, tool: string, args: JsonValue): MessageReply {
  return reply.tool(turn.tools.find(({ name }) => name.endsWith(tool))?.name ?? tool, args);
}

interface Case {
  readonly cli: RealCli;
  readonly title: string;
  agent(server: ScriptedModelServer, home: string): AgentProvider;
  /**
   * Makes the agent's sessions older, for agents that cannot load a session in the minute of its
   * creation.
   */
  age?(home: string): Promise<void>;
}

/**
 * Within that minute, Gemini CLI 0.61 overwrites the session that it must load with the start of a
 * new one.
 */
async function ageGeminiSessions(home: string): Promise<void> {
  for await (const file of glob(join(home, '.gemini/tmp/*/chats/session-*.jsonl'))) {
    await rename(
      file,
      file.replace(/session-[^/]*-(?<id>[0-9a-f]{8}\.jsonl)$/u, 'session-2026-01-01T00-00-$<id>'),
    );
  }
}

const CASES: readonly Case[] = [
  {
    cli: 'gemini',
    title: 'Gemini CLI',
    age: ageGeminiSessions,
    agent: ({ geminiUrl }, home) =>
      acp({
        command: ['gemini', '--acp', '--skip-trust'],
        name: 'gemini-acp',
        model: 'gemini-2.5-pro',
        authMethod: 'gemini-api-key',
        env: {
          HOME: home,
          GEMINI_API_KEY: KEY,
          GOOGLE_GEMINI_BASE_URL: geminiUrl,
          GEMINI_TELEMETRY_ENABLED: 'false',
        },
      }),
  },
  {
    cli: 'opencode',
    title: 'OpenCode',
    agent: ({ openaiUrl }, home) =>
      acp({
        command: ['opencode', 'acp'],
        name: 'opencode-acp',
        model: 'local/scripted',
        env: {
          HOME: home,
          OPENAI_API_KEY: KEY,
          ...OPENCODE_CONFIGURED,
          ...openCodeConfig(
            { baseURL: openaiUrl, apiKey: KEY },
            { models: ['other'], permission: { bash: 'ask' } },
          ),
        },
      }),
  },
];

/** Gemini CLI takes 6 s to start. In the short form, `acp-presets.test.ts` starts it by this protocol. */
const TRIED = CASES.filter(({ cli }) => FORM === 'whole' || cli !== 'gemini');

for (const { cli, title, agent, age } of TRIED) {
  describeRealCli(cli, `acp() with the real ${title}`, () => {
    const nonce = `nonce-${crypto.randomUUID()}`;
    const work = workplaceForEach({ [NONCE_FILE]: `${nonce}\n` });

    /**
     * Calls without tools come from the CLI itself, such as for a title. They do not count as
     * turns.
     */
    async function withModel<T>(
      steps: readonly ((turn: ScriptedTurn) => MessageReply)[],
      use: (agent: AgentProvider, server: ScriptedModelServer) => Promise<T>,
    ): Promise<T> {
      let calls = 0;
      const script: ModelScript = (turn) => {
        if (turn.tools.length === 0) return reply.text('A title');
        const step = steps[Math.min(calls, steps.length - 1)];
        calls += 1;
        return step?.(turn) ?? reply.text('');
      };
      const server = await scriptedModelServer({ script, key: KEY });
      try {
        const result = await use(withBundledBridge(agent(server, work.home)), server);
        expect(server.failures).toEqual([]);
        return result;
      } finally {
        await server.close();
      }
    }

    const options = (given: AgentProvider): Omit<RunOptions, 'output'> => ({
      agent: given,
      sandbox: noSandbox(),
      cwd: work.repo,
      branchStrategy: { type: 'merge-to-head' },
      prompt: 'Read the nonce, commit a note, and answer in a <result> tag.',
      timeouts: { idleMs: 100_000 },
    });
    const output = Output.object({ tag: 'result', schema });

    for (const [place, sandbox] of PLACES) {
      // The short form tries the same in one start, below. `isolated.test.ts` brings commits back.
      itWhole(`works, is given leave, commits, and answers ${place}`, async () => {
        const types = new Set<string>();
        const result = await withModel([answerInTag], async (given) => {
          const running = run({ ...options(given), sandbox: sandbox(), output });
          for await (const { type } of running) types.add(type);
          return running;
        });
        expect(result.output).toEqual({ nonce });
        expect(result.commits).toHaveLength(1);
        expect(await work.git('log', '-1', '--format=%s')).toBe(COMMIT_SUBJECT);
        expect([...types]).toEqual(expect.arrayContaining(EVENTS));
      });
    }

    // `acp-presets.test.ts` loads the session that it corrects.
    itWhole('continues the session that it loads', async () => {
      const { first, next, turns } = await withModel(
        [() => reply.text('I am the first.'), () => reply.text('I am the second.')],
        async (given, { turns }) => {
          const first = await run({ ...options(given), branchStrategy: { type: 'head' } });
          await age?.(work.home);
          return { first, next: await first.resume?.('And now?'), turns };
        },
      );
      expect(first.stdout).toBe('I am the first.');
      // The agent's replay of the first prompt is ignored.
      expect(next?.stdout).toBe('I am the second.');
      expect(next?.iterations[0]?.sessionId).toBe(first.iterations[0]?.sessionId);
      const posted = JSON.stringify(turns.findLast(({ tools }) => tools.length > 0)?.messages);
      expect(posted).toContain('Read the nonce');
      expect(posted).toContain('I am the first.');
    });

    it('commits with leave, calls a function, submits its answer through a tool, and receives the failure', async () => {
      const types = new Set<string>();
      const seen: number[] = [];
      const result = await withModel(
        [
          readAndCommit,
          (turn) => use(turn, 'find_ticket', { id: 7 }),
          (turn) => use(turn, FINALIZER_NAME, { output: { nonce: 7 } }),
          (turn) => use(turn, FINALIZER_NAME, { output: { nonce: turn.lastToolResult?.text ?? '' } }),
          () => reply.text('Done.'),
        ],
        async (given) => {
          const running = run({
            ...options(given),
            tools: {
              find_ticket: { inputSchema: z.object({ id: z.int() }), execute: ({ id }) => seen.push(id) },
            },
            output: Output.object({ mode: 'mcp', schema }),
          });
          for await (const { type } of running) types.add(type);
          return running;
        },
      );
      expect(seen).toEqual([7]);
      expect(result.output.nonce).toMatch(/nonce.*string/u);
      expect(result.iterations).toHaveLength(1);
      expect(result.commits).toHaveLength(1);
      expect(await work.git('log', '-1', '--format=%s')).toBe(COMMIT_SUBJECT);
      expect([...types]).toEqual(expect.arrayContaining([...EVENTS, 'host-tool']));
    });
  });
}
