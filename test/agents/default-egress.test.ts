/** Tests of a sandbox's default network with the real Claude Code and a stored login. */
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { LimitError } from '../../packages/core/src/errors/limit-error.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { shellOutput } from '../../packages/testing/src/scripted-model/turn/shell-tools.ts';
import { runsBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixCases } from '../matrix.ts';
import { CLI_BIN_DIR, describeRealCli, makeWorkplace, type Workplace } from './real-cli.ts';

const TOKEN = `sk-ant-oat01-${'a'.repeat(40)}`;
const output = Output.object({ tag: 'result', schema: z.object({ seen: z.string() }) });
const BUDGETS = [
  ['not beyond its budget', { requests: 1 }, 'requests'],
  ['within it', { tokens: 5_000_000, requests: 10 }, 'ok'],
] as const;
const NAMES = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_BASE_URL'];

if (runsBubblewrap) {
  describeRealCli('claude', 'a sandbox without a word about its network', () => {
    const saved = { ...process.env };
    let work: Workplace;

    beforeEach(async () => {
      work = await makeWorkplace({ 'a.txt': 'a\n' });
      for (const name of NAMES) delete process.env[name];
      process.env['PATH'] = `${CLI_BIN_DIR}${delimiter}${saved['PATH'] ?? ''}`;
      process.env['HOME'] = work.home;
    });
    afterEach(async () => {
      for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
      Object.assign(process.env, saved);
      await work[Symbol.asyncDispose]();
    });

    /** Writes the file that `claude login` stores. */
    async function storeLogin(): Promise<string> {
      const folder = join(work.root, 'login');
      await mkdir(folder);
      const claudeAiOauth = {
        accessToken: TOKEN,
        refreshToken: `sk-ant-ort01-${'b'.repeat(40)}`,
        expiresAt: Date.now() + 86_400_000,
        scopes: ['user:inference', 'user:profile'],
        subscriptionType: 'max',
      };
      await writeFile(join(folder, '.credentials.json'), JSON.stringify({ claudeAiOauth }));
      return folder;
    }

    it('lets a stored login reach its own hosts, and nothing else', async () => {
      const server = await scriptedModelServer({
        key: TOKEN,
        script: [
          () => reply.shell("curl -s -o /dev/null -w '%{http_connect}' https://evil.test/; true"),
          (turn) =>
            reply.text(`<result>${JSON.stringify({ seen: (shellOutput(turn) ?? '').trim() })}</result>`),
        ],
      });
      try {
        const hostPath = await storeLogin();
        const running = run({
          agent: claudeCode('claude-opus-4-8'),
          sandbox: bubblewrap({ mounts: [{ hostPath, sandboxPath: '~/.claude' }] }),
          env: {
            ANTHROPIC_BASE_URL: server.anthropicUrl,
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          },
          cwd: work.repo,
          branchStrategy: { type: 'merge-to-head' },
          prompt: 'Look around, and answer in a <result> tag.',
          timeouts: { idleMs: 30_000 },
          output,
        });
        const ready: unknown[] = [];
        for await (const event of running) if (event.type === 'sandbox-ready') ready.push(event);
        expect((await running).output.seen).toBe('403');
        expect(ready).toMatchObject([
          {
            egress: `allow ${new URL(server.anthropicUrl).host}, api.anthropic.com, platform.claude.com`,
            enforcesEgress: true,
          },
        ]);
      } finally {
        await server.close();
      }
    });

    // In the short form, `run-real-clis.test.ts` reaches the model with a key.
    it.each(matrixCases(1, BUDGETS))('lets a key reach its model %s', async (_title, budget, expected) => {
      const server = await scriptedModelServer({
        key: TOKEN,
        script: [() => reply.shell('true'), () => reply.text('<result>{"seen":"ok"}</result>')],
      });
      try {
        Object.assign(process.env, { ANTHROPIC_API_KEY: TOKEN, ANTHROPIC_BASE_URL: server.anthropicUrl });
        const ended = await run({
          agent: claudeCode('claude-opus-4-8'),
          sandbox: bubblewrap(),
          cwd: work.repo,
          branchStrategy: { type: 'merge-to-head' },
          prompt: 'Look around, and answer in a <result> tag.',
          timeouts: { idleMs: 30_000 },
          budget,
          output,
        }).then(
          (result) => result.output.seen,
          (error: unknown) => (LimitError.isInstance(error) ? error.code : String(error)),
        );
        expect(ended).toBe(expected);
      } finally {
        await server.close();
      }
    });

    it('refuses a program of unknown hosts before anything is made, and names the line to add', async () => {
      const failure = run({
        agent: command({ command: ['sh', '-c', 'true'] }),
        sandbox: bubblewrap(),
        cwd: work.repo,
        branchStrategy: { type: 'branch', branch: 'agent/refused' },
        prompt: 'Work.',
      });
      await expect(failure).rejects.toMatchObject({
        name: 'UsageError',
        code: 'unsupported',
        message: expect.stringContaining("bubblewrap({ egress: { allow: ['api.example.com'] } })") as unknown,
      });
      expect(await work.git('branch', '--list', 'agent/*')).toBe('');
    });

    it('refuses an agent in a warm sandbox that was started without it', async () => {
      await using sandbox = await createSandbox({
        branch: 'warm',
        sandbox: bubblewrap(),
        cwd: work.repo,
      });
      await expect(sandbox.run({ agent: claudeCode(), prompt: 'Work.' })).rejects.toThrow('`agents`');
    });

    it('reports which option gives a failed hook a network', async () => {
      const failure = run({
        agent: { ...claudeCode(), hosts: () => ['api.example.com'] },
        sandbox: bubblewrap(),
        hooks: { sandbox: { onSandboxReady: [{ command: 'curl -sS https://registry.npmjs.org/' }] } },
        cwd: work.repo,
        branchStrategy: { type: 'merge-to-head' },
        prompt: 'Work.',
      });
      await expect(failure).rejects.toMatchObject({
        code: 'hook',
        message: expect.stringContaining(
          "`egress: { allow: ['registry.npmjs.org'] }`. The current value is `allow api.example.com`",
        ) as unknown,
      });
    });

    it('reports where no policy can be enforced', async () => {
      const running = run({
        agent: command({ command: ['true'] }),
        sandbox: noSandbox(),
        cwd: work.repo,
        prompt: 'Work.',
      });
      const ready: unknown[] = [];
      for await (const event of running) if (event.type === 'sandbox-ready') ready.push(event);
      expect(ready).toMatchObject([{ egress: 'host', enforcesEgress: false }]);
    });
  });
}
