/**
 * Runs the real Claude Code several times in one warm bubblewrap sandbox. It reaches only its
 * model, and its sessions continue.
 */
import { delimiter } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { codex } from '../../packages/truecast/src/agents/codex/codex.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import {
  claudeEnvironment,
  CLI_BIN_DIR,
  describeRealCli,
  makeWorkplace,
  type Workplace,
  quickStart,
} from './real-cli.ts';

const KEY = 'sk-test-key-that-must-stay-outside';
const output = Output.object({ tag: 'result', schema: z.object({ word: z.string() }) });

describeInBubblewrap('a warm sandbox', () => {
  describeRealCli('claude', 'with the real Claude Code', () => {
    const saved = { ...process.env };
    let work: Workplace;
    beforeAll(async () => {
      work = await makeWorkplace({ 'a.txt': 'one\n' });
      process.env['PATH'] = `${CLI_BIN_DIR}${delimiter}${saved['PATH'] ?? ''}`;
    });
    afterAll(async () => {
      for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
      Object.assign(process.env, saved);
      await work[Symbol.asyncDispose]();
    });

    it('resumes a session without a network and without the key', async () => {
      const server = await scriptedModelServer({
        key: KEY,
        script: [
          () =>
            reply.shell('echo kept > kept.txt; env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null; true'),
          () => reply.text('<result>{"word":"first"}</result>'),
          (turn) =>
            reply.text(`<result>{"word":"${turn.messages.length > 2 ? 'second' : 'forgot'}"}</result>`),
        ],
      });
      try {
        const { HOME, ...env } = claudeEnvironment({ home: work.home, server, key: KEY });
        Object.assign(process.env, { HOME, ...env });
        const agent = claudeCode('claude-opus-4-8');
        await using sandbox = await createSandbox({
          branch: 'work',
          sandbox: bubblewrap({ egress: 'model', ...quickStart() }),
          cwd: work.repo,
          agents: [agent],
        });
        const first = await sandbox.run({ agent, prompt: 'Answer in <result>.', output });
        const files = await sandbox.exec('cat kept.txt');
        const second = await first.resume?.('Again, in <result>.', { output });
        expect(first.output).toEqual({ word: 'first' });
        expect(second?.output.word).toBe('second');
        expect(files.stdout).toBe('kept\n');
        expect(JSON.stringify(server.turns.map(({ messages }) => messages))).not.toContain(KEY);
        expect(server.failures).toEqual([]);
        await expect(
          sandbox.run({ agent: codex('gpt-5.4', { baseURL: server.openaiUrl }), prompt: 'p' }),
        ).rejects.toThrow(UsageError);
      } finally {
        await server.close();
      }
    });
  });
});
