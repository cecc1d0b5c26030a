/**
 * Tests of outcomes with the real CLIs: a question holds the work back, and its answer continues in the
 * same session and on the same branch.
 */
import { delimiter } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { acp } from '../../packages/truecast/src/agents/acp/acp.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { reply, type MessageReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { FORM } from '../matrix.ts';
import { CLI_CASES, KEY, type CliCase } from './cli-cases.ts';
import {
  CLI_BIN_DIRS,
  describeRealCli,
  makeWorkplace,
  openCodeConfig,
  OPENCODE_OFFLINE,
} from './real-cli.ts';

/** A test starts a CLI twice. */
vi.setConfig({ testTimeout: 240_000 });

const OPENCODE_ACP: CliCase = {
  cli: 'opencode',
  title: 'OpenCode over ACP',
  agent: (server) =>
    acp({
      command: ['opencode', 'acp'],
      name: 'opencode-acp',
      model: 'local/scripted',
      env: {
        OPENAI_API_KEY: KEY,
        ...OPENCODE_OFFLINE,
        ...openCodeConfig({ baseURL: server?.openaiUrl, apiKey: KEY }),
      },
    }),
  environment: (_server, home) => ({ HOME: home }),
};

/** The short form tries the CLI that starts fastest: questions are part of the answer, not of the CLI. */
const CASES = [...CLI_CASES.filter(({ cli }) => cli === 'claude' || cli === 'codex'), OPENCODE_ACP].filter(
  ({ cli }) => FORM === 'whole' || cli === 'codex',
);

const output = Output.object({
  tag: 'result',
  schema: z.object({ db: z.string() }),
  question: true,
  decline: true,
});

const commit = (name: string): MessageReply =>
  reply.shell(`echo ${name} > ${name}.txt && git add ${name}.txt && git commit -q -m "add ${name}"`);
const said = (value: unknown): MessageReply => reply.text(`<result>${JSON.stringify(value)}</result>`);

for (const { cli, title, agent, environment } of CASES) {
  describeRealCli(cli, `outcomes of the real ${title}`, () => {
    const saved = { ...process.env };
    beforeEach(() => {
      process.env['PATH'] = `${CLI_BIN_DIRS}${delimiter}${saved['PATH'] ?? ''}`;
    });
    afterEach(() => {
      for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
      Object.assign(process.env, saved);
    });

    it('holds a question back, and lands the answered run from the same session', async () => {
      await using work = await makeWorkplace({ 'a.txt': 'one\n' });
      const steps: readonly MessageReply[] = [
        commit('half'),
        said({ question: { text: 'Which?', options: ['pg', 'my'] } }),
        commit('rest'),
        said({ answer: { db: 'pg' } }),
      ];
      const turns: ScriptedTurn[] = [];
      const server: ScriptedModelServer = await scriptedModelServer({
        key: KEY,
        script(turn) {
          // A call without tools is one of the CLI itself, such as for a title.
          if (turn.tools.length === 0) return reply.text('A title');
          turns.push(turn);
          return steps[turns.length - 1] ?? reply.text('');
        },
      });
      try {
        Object.assign(process.env, environment(server, work.home));
        const given: AgentProvider = agent(server);
        const result = await run({
          agent: given,
          sandbox: noSandbox(),
          cwd: work.repo,
          branchStrategy: { type: 'merge-to-head' },
          prompt: 'Set up the database. Answer in a <result> tag.',
          timeouts: { idleMs: 100_000 },
          output,
        });
        expect(result.output).toMatchObject({ outcome: 'question', question: { text: 'Which?' } });
        expect(await work.git('log', '--format=%s', 'main')).toBe('start');
        expect(await work.git('log', '-1', '--format=%s', result.branch)).toBe('add half');

        const answered = await result.answer?.('Use pg.');
        expect(answered?.output).toEqual({ outcome: 'answered', answer: { db: 'pg' } });
        expect(answered?.iterations[0]?.sessionId).toBe(result.iterations[0]?.sessionId);
        const subjects = (await work.git('log', '--format=%s', 'main')).split('\n');
        expect(subjects).toEqual(['add rest', 'add half', 'start']);
        expect(JSON.stringify(turns.at(-1)?.messages)).toContain('Set up the database');
        expect(turns.flatMap(({ tools }) => tools.map(({ name }) => name))).not.toContain('AskUserQuestion');
      } finally {
        await server.close();
      }
    });
  });
}
