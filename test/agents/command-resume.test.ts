/**
 * Tests of `truecast run --resume` with the real Claude Code: the prompt is the session's next
 * message.
 */
import { delimiter } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { claudeEnvironment, CLI_BIN_DIR, describeRealCli, makeWorkplace } from './real-cli.ts';
import { commandFile } from '../package/shared-build.ts';

const MAIN = await commandFile();

describeRealCli('claude', 'truecast run --resume with the real Claude Code', () => {
  it('resumes the session that an earlier command printed', async () => {
    await using work = await makeWorkplace({ 'a.txt': 'one\n' });
    const server = await scriptedModelServer({
      script: [
        () => reply.text('Noted.'),
        (turn) =>
          reply.text(
            `<result>${JSON.stringify(turn.messages).includes('Remember seven') ? 'seven' : 'forgot'}</result>`,
          ),
      ],
    });
    const environment = claudeEnvironment({ home: work.home, server });
    const command = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
      const { stdout, stderr, exitCode } = await execa(
        process.execPath,
        [MAIN, 'run', '--agent', 'claude-code:claude-opus-4-8', '--sandbox', 'none', '--json', ...args],
        {
          cwd: work.repo,
          reject: false,
          env: { ...environment, PATH: `${CLI_BIN_DIR}${delimiter}${process.env['PATH'] ?? ''}` },
        },
      );
      expect(exitCode, stderr).toBe(0);
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    try {
      const first = await command('--prompt', 'Remember seven.');
      expect(first['sessionId']).toMatch(/^[0-9a-f-]{36}$/u);
      const resumed = await command(
        '--resume',
        String(first['sessionId']),
        '--prompt',
        'Which number? In <result>.',
        '--tag',
        'result',
      );
      expect(resumed).toMatchObject({
        output: 'seven',
        provenance: { mode: 'tag', agent: 'claude-code' },
        sessionId: first['sessionId'],
        commits: [],
        branch: expect.stringContaining('truecast/') as unknown,
        usage: { outputTokens: expect.any(Number) as unknown },
      });
    } finally {
      await server.close();
    }
  });
});
