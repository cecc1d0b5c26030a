/**
 * Tests of `run({ tools })` with the real CLIs in bubblewrap: the agent calls a function of this process,
 * which has what no sandbox can reach.
 */
import { randomUUID } from 'node:crypto';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import type { JsonValue } from '../../packages/core/src/kit/json-value.ts';
import { reply, type MessageReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { acp } from '../../packages/truecast/src/agents/acp/acp.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import type { RunEvent } from '../../packages/truecast/src/run/events/run-events.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap, itInBubblewrap, runsBubblewrap } from '../describe-in-bubblewrap.ts';
import { type DeclareTest, FORM, triesColumn } from '../matrix.ts';
import { CLI_CASES, KEY } from './cli-cases.ts';
import {
  CLAUDE_ACP,
  CLI_BIN_DIRS,
  describeRealCli,
  makeWorkplace,
  openCodeConfig,
  OPENCODE_CONFIGURED,
  type RealCli,
  type Workplace,
  quickStart,
} from './real-cli.ts';

vi.setConfig({ testTimeout: 240_000 });

interface Case {
  readonly cli: RealCli;
  readonly title: string;
  /** An agent of the protocol has no proxy for its model. */
  readonly egress: 'model' | 'host';
  agent(server: ScriptedModelServer): AgentProvider;
  environment(server: ScriptedModelServer, home: string): Readonly<Record<string, string>>;
}

const CASES: readonly Case[] = [
  ...CLI_CASES.filter(({ cli }) => cli === 'claude' || cli === 'codex').map((known) => ({
    ...known,
    egress: 'model' as const,
  })),
  {
    cli: 'claude-agent-acp',
    title: 'Claude Code by ACP',
    egress: 'host',
    agent: ({ anthropicUrl }) =>
      acp({
        preset: 'claude-acp',
        env: {
          ANTHROPIC_BASE_URL: anthropicUrl,
          ANTHROPIC_API_KEY: KEY,
          ...CLAUDE_ACP,
        },
      }),
    environment: (_server, home) => ({ HOME: home }),
  },
  {
    cli: 'opencode',
    title: 'OpenCode by ACP',
    egress: 'host',
    agent: ({ openaiUrl }) =>
      acp({
        preset: 'opencode-acp',
        model: 'local/scripted',
        env: {
          ...OPENCODE_CONFIGURED,
          ...openCodeConfig({ baseURL: openaiUrl, apiKey: KEY }),
        },
      }),
    environment: (_server, home) => ({ HOME: home }),
  },
];

/** Calls a tool by this CLI's name for it. */
function use(turn: ScriptedTurn, tool: string, args: JsonValue): MessageReply {
  const found = turn.tools.find(({ name }) => name.endsWith(tool));
  if (found === undefined) throw new RangeError(`${tool} is not among the tools`);
  return reply.tool(found.name, args);
}

/**
 * In the short form, `acp-real-clis.test.ts` calls a function over the protocol, and `acp-tools.test.ts` gives
 * Claude Code by ACP its tool.
 */
const TRIED = CASES.filter(({ egress }) => FORM === 'whole' || egress === 'model');

for (const [row, { cli, title, egress, agent, environment }] of TRIED.entries()) {
  describeRealCli(cli, `tools of run() with the real ${title} in bubblewrap`, () => {
    const saved = { ...process.env };
    let work: Workplace;
    let server: ScriptedModelServer | undefined;
    // The example below calls with a wrong and a right argument from Claude Code too.
    let column = 0;
    const declare: DeclareTest = (name, test) => {
      if (triesColumn(row + 1, column, { rows: TRIED.length, stride: 2 })) itInBubblewrap(name, test);
      column += 1;
    };

    beforeEach(async () => {
      work = await makeWorkplace({ 'a.txt': 'a\n' });
    });
    afterEach(async () => {
      for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
      Object.assign(process.env, saved);
      await server?.close();
      await work[Symbol.asyncDispose]();
    });

    declare('calls a function of this program, with a wrong and a right argument', async () => {
      const title = `ticket ${randomUUID()}`;
      const said: string[] = [];
      const seen: number[] = [];
      const note = ({ lastToolResult }: ScriptedTurn): void => void said.push(lastToolResult?.text ?? '');
      let step = 0;
      server = await scriptedModelServer({
        key: KEY,
        script: (turn) => {
          // Calls without tools come from the agent itself, such as for a title.
          if (turn.tools.length === 0) return reply.text('A title');
          step += 1;
          if (step === 1) return use(turn, 'find_ticket', { id: 'seven' });
          if (step > 4) return reply.text('Done.');
          note(turn);
          if (step === 2) return use(turn, 'find_ticket', { id: 7 });
          return step === 3 ? use(turn, FINALIZER_NAME, { output: { title } }) : reply.text('Done.');
        },
      });
      Object.assign(process.env, environment(server, work.home), {
        PATH: `${CLI_BIN_DIRS}${delimiter}${saved['PATH'] ?? ''}`,
      });
      const running = run({
        agent: agent(server),
        sandbox: bubblewrap({ egress, ...quickStart() }),
        cwd: work.repo,
        branchStrategy: { type: 'merge-to-head' },
        prompt: 'Find ticket 7.',
        timeouts: { idleMs: 100_000 },
        logging: { type: 'file' },
        tools: {
          find_ticket: {
            description: 'Returns a ticket by its id.',
            inputSchema: z.object({ id: z.int() }),
            execute: ({ id }) => {
              seen.push(id);
              return { id, title };
            },
          },
        },
        output: Output.object({ mode: 'mcp', schema: z.object({ title: z.string() }) }),
      });
      const events: RunEvent[] = [];
      for await (const event of running) events.push(event);

      expect(server.failures).toEqual([]);
      expect((await running).output).toEqual({ title });
      expect(said[0]).toMatch(/arguments of `find_ticket` do not fit its schema[^]*- id: /u);
      expect(said[1]).toContain(title);
      expect(seen).toEqual([7]);
      expect(events.find(({ type }) => type === 'sandbox-ready')).toMatchObject({
        egress,
        enforcesEgress: true,
      });
      expect(events.filter(({ type }) => type === 'host-tool')).toMatchObject([
        { name: 'find_ticket', isError: true },
        { name: 'find_ticket', isError: false },
      ]);
    });

    declare('calls it in a run without an answer', async () => {
      const seen: number[] = [];
      let step = 0;
      server = await scriptedModelServer({
        key: KEY,
        script: (turn) => {
          if (turn.tools.length === 0) return reply.text('A title');
          step += 1;
          return step === 1 ? use(turn, 'find_ticket', { id: 7 }) : reply.text('Done.');
        },
      });
      Object.assign(process.env, environment(server, work.home), {
        PATH: `${CLI_BIN_DIRS}${delimiter}${saved['PATH'] ?? ''}`,
      });
      await run({
        agent: agent(server),
        sandbox: bubblewrap({ egress, ...quickStart() }),
        cwd: work.repo,
        prompt: 'Find ticket 7.',
        timeouts: { idleMs: 100_000 },
        logging: { type: 'file' },
        tools: {
          find_ticket: { inputSchema: z.object({ id: z.int() }), execute: ({ id }) => seen.push(id) },
        },
      });
      expect(seen).toEqual([7]);
    });
  });
}

describeRealCli('claude', 'the example with tools', () => {
  itInBubblewrap('answers with what a function of the program returned', async () => {
    await using work = await makeWorkplace({ 'a.txt': 'a\n' });
    let step = 0;
    await using server = await scriptedModelServer({
      key: KEY,
      script: (turn) => {
        if (turn.tools.length === 0) return reply.text('A title');
        step += 1;
        if (step === 1) return use(turn, 'find_ticket', { id: 'seven' });
        if (step <= 3) return use(turn, 'find_ticket', { id: step + 5 });
        const urgent = turn.messages
          .flatMap(({ parts }) => parts)
          .find((part) => part.type === 'tool-result' && part.text.includes('high'));
        return reply.text(urgent === undefined ? 'None is.' : '<result>{"id":7}</result>');
      },
    });
    const claude = CLI_CASES.find(({ cli }) => cli === 'claude');
    const env = {
      ...claude?.environment(server, work.home),
      PATH: `${CLI_BIN_DIRS}${delimiter}${process.env['PATH'] ?? ''}`,
    };
    const program = fileURLToPath(new URL('../../examples/agent-functions/ticket.ts', import.meta.url));
    const { stdout } = await execa(process.execPath, [program], { env, cwd: work.repo });
    expect(stdout.split('\n')).toEqual([
      'find_ticket refused',
      'find_ticket ok',
      'find_ticket ok',
      'urgent: The greeting has no name',
    ]);
  });
});
if (!runsBubblewrap) describeInBubblewrap('tools of run() with real CLIs', () => undefined);
