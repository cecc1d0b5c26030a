/** `truecast run --question --decline`: asks a person on a terminal, else ends with the outcome and its exit code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession, type ProgramSession } from '../program-session.ts';
import { onTerminal } from '../run/terminal.ts';
import { git, MAIN, makeRepository, truecast } from './cli-fixture.ts';

/** Writes an agent that commits, and says the next line at each start. */
function askingAgent(repo: string, said: readonly unknown[]): { readonly line: string; prompts(): string } {
  const folder = dirname(repo);
  const lines = said.map((value) => `<result>${JSON.stringify(value)}</result>\n`);
  writeFileSync(join(folder, 'answers'), lines.join(''));
  const script = join(folder, 'agent.sh');
  writeFileSync(
    script,
    `cat >> ${folder}/prompts\ngit commit -q --allow-empty -m work\nhead -1 ${folder}/answers; sed -i 1d ${folder}/answers\n`,
  );
  return { line: `command:sh ${script}`, prompts: () => readFileSync(join(folder, 'prompts'), 'utf8') };
}

const QUESTION = { question: { text: 'Which?', options: ['two', 'seven'] } };
const FLAGS = ['--sandbox', 'none', '--schema', '../s.json', '--question', '--decline'] as const;

const words = (agent: string, ...more: readonly string[]): string[] => [
  'run',
  'Count.',
  '--agent',
  agent,
  ...FLAGS,
  ...more,
];

describe('without a terminal', () => {
  it.each([
    [QUESTION, 4, { outcome: 'question', ...QUESTION }],
    [{ declined: 'unsafe' }, 5, { outcome: 'declined', reason: 'unsafe' }],
    [{ answer: { answer: 7 } }, 0, { outcome: 'answered', answer: { answer: 7 } }],
  ])('prints the outcome of %j, and exits with %i', async (said, exitCode, outcome) => {
    const repo = makeRepository();
    const ended = await truecast(repo, ...words(askingAgent(repo, [said]).line, '--merge'));
    expect(ended.exitCode, ended.stderr).toBe(exitCode);
    expect(JSON.parse(ended.stdout)).toEqual(outcome);
    const subjects = (await git(repo, 'log', '--format=%s', 'main')).split('\n');
    expect(subjects).toEqual(exitCode === 0 ? ['work', 'begin'] : ['begin']);
  });

  it('reads no stdin: it ends although the pipe stays open', async () => {
    const repo = makeRepository();
    const child = spawn(process.execPath, [MAIN, ...words(askingAgent(repo, [QUESTION]).line)], {
      cwd: repo,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { ...process.env, HOME: dirname(repo) },
    });
    const [exitCode] = (await once(child, 'exit')) as [number];
    expect(exitCode).toBe(4);
    child.stdin.destroy();
  });

  it.each([
    [['--answer', 'two'], '`--answer` needs the session of the question. Pass `--resume SESSION`.'],
    [['--resume', 'x', '--answer', ' '], '`--answer`: expected a non-empty string'],
    [['--question'], '`--question` and `--decline` need the schema of the answer. Pass `--schema`.'],
  ])('refuses %j', async (flags, message) => {
    const repo = makeRepository();
    const args = ['run', '--agent', 'command:true', '--sandbox', 'none', ...flags];
    const prompt = flags.includes('--question') ? ['Count.'] : [];
    const ended = await truecast(repo, ...args, ...prompt);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toContain(message);
  });
});

describe('on a terminal', () => {
  const onTerminalIn = (repo: string, args: readonly string[], keys: string): Promise<string> => {
    const command = [MAIN, ...args].map((word) => JSON.stringify(word)).join(', ');
    const program = `process.env.CI = ''; process.env.HOME = ${JSON.stringify(dirname(repo))};
      const { spawnSync } = await import('node:child_process');
      const { status } = spawnSync(process.execPath, [${command}], { stdio: 'inherit' });
      console.log('exit ' + status);`;
    return onTerminal({
      args: ['--input-type=module', '-e', program],
      cwd: repo,
      typed: [{ after: '(empty to stop):', keys }],
    });
  };

  it('asks with numbered options, sends the chosen one, and merges the answered run', async () => {
    const repo = makeRepository();
    const agent = askingAgent(repo, [QUESTION, { answer: { answer: 2 } }]);
    const shown = await onTerminalIn(repo, words(agent.line, '--merge', '--quiet'), '1\r');
    expect(shown).toContain('The agent asks: Which?');
    expect(shown).toMatch(/1\. two\s+2\. seven/u);
    expect(shown).toContain('exit 0');
    expect(agent.prompts()).toContain('The answer to your question: two');
    expect((await git(repo, 'log', '--format=%s', 'main')).split('\n')).toEqual(['work', 'work', 'begin']);
  });

  it('ends after an empty line', async () => {
    const repo = makeRepository();
    const agent = askingAgent(repo, [QUESTION]);
    const shown = await onTerminalIn(repo, words(agent.line, '--merge', '--quiet'), '\r');
    expect(shown).toContain('exit 4');
    expect(await git(repo, 'log', '--format=%s', 'main')).toBe('begin');
  });

  describe('of a session', () => {
    let session: ProgramSession;
    beforeAll(async () => {
      session = await openSession('terminal');
    });
    afterAll(() => session[Symbol.asyncDispose]());

    it.each([
      ['--no-input', ''],
      ['--quiet', 'true'],
      // The run of the answer would not have the id.
      ['--id=job-1', ''],
    ])('does not ask with %s and CI=%j', async (flag, CI) => {
      const repo = makeRepository();
      const args = words(askingAgent(repo, [QUESTION]).line, flag);
      const env = { HOME: dirname(repo), CI };
      const { stdout, exitCode } = await session.run({ file: MAIN, args, cwd: repo, env });
      expect(exitCode, stdout).toBe(4);
      expect(stdout).not.toContain('The agent asks');
    });
  });
});
