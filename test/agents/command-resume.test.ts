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
import { itWhole } from '../matrix.ts';
import { MAIN, runCommand } from '../cli/run-command.ts';

describeRealCli('claude', 'truecast run --resume with the real Claude Code', () => {
  // The case below resumes by the line that the command prints, which has the same flag.
  itWhole('resumes the session that an earlier command printed', async () => {
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

  it('asks, and continues by the line that it prints', async () => {
    await using work = await makeWorkplace({ 'a.txt': 'one\n' });
    const says = (value: unknown): ReturnType<typeof reply.text> =>
      reply.text(`<result>${JSON.stringify(value)}</result>`);
    const server = await scriptedModelServer({
      script: [
        reply.shell('echo 1 > half.txt && git add half.txt && git commit -q -m half'),
        says({ question: { text: 'Which?' } }),
        (turn) =>
          says({ answer: JSON.stringify(turn.messages).includes(String.raw`Use \"pg\".`) ? 'pg' : 'none' }),
      ],
    });
    const environment = claudeEnvironment({ home: work.home, server });
    const env = { ...environment, PATH: `${CLI_BIN_DIR}${delimiter}${process.env['PATH'] ?? ''}` };
    const schema = '{"type":"string"}';
    try {
      const flags = ['--sandbox', 'none', '--merge', '--schema', schema, '--question', '--quiet'];
      const asked = await runCommand(['run', 'Choose.', '--agent', 'claude-code:claude-opus-4-8', ...flags], {
        cwd: work.repo,
        env,
      });
      expect(asked.exitCode, asked.stderr).toBe(4);
      expect(JSON.parse(asked.stdout)).toEqual({ outcome: 'question', question: { text: 'Which?' } });
      expect(await work.git('log', '--format=%s', 'main')).toBe('start');
      const printed = /^To answer: .* run (?<words>--resume .*) --answer "…"$/mu.exec(asked.stderr)?.groups?.[
        'words'
      ];
      const line = `'${process.execPath}' '${MAIN}' run ${printed ?? ''} --answer 'Use "pg".'`;
      const answered = await execa('sh', ['-c', line], {
        cwd: work.repo,
        reject: false,
        env,
        stdin: 'ignore',
      });
      expect(answered.exitCode, answered.stderr).toBe(0);
      expect(JSON.parse(answered.stdout)).toEqual({ outcome: 'answered', answer: 'pg' });
      expect((await work.git('log', '--format=%s', 'main')).split('\n')).toEqual(['half', 'start']);
      expect(await work.git('branch', '--format=%(refname:short)')).toBe('main');
    } finally {
      await server.close();
    }
  });
});
