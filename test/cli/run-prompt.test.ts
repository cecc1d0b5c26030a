/** `truecast run` and `batch` with little: prompt as an argument or on stdin, tag and instruction added, agent found. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeRepository, type Ended } from './cli-fixture.ts';
import { runCommand } from './run-command.ts';

const NUMBER = '{"type":"object","properties":{"answer":{"type":"number"}},"required":["answer"]}';

interface Started {
  readonly repo: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function run(started: Started, ...words: readonly string[]): Promise<Ended> {
  return start(started, 'run', ...words);
}

function start(
  { repo, input = '', env = {} }: Started,
  command: string,
  ...words: readonly string[]
): Promise<Ended> {
  return runCommand([command, '--sandbox', 'none', ...words], {
    cwd: repo,
    input,
    env: { HOME: dirname(repo), ...env },
  });
}

/** Writes an agent that saves its prompts, and answers with the lines of a file, one per process. */
function makeAgent(repo: string, answers: readonly string[]): { line: string; prompts: () => string } {
  const folder = join(dirname(repo), 'agent');
  mkdirSync(folder);
  writeFileSync(join(folder, 'answers'), `${answers.join('\n')}\n`);
  const script = join(folder, 'agent.sh');
  writeFileSync(
    script,
    `#!/bin/sh\ncat >> ${folder}/prompts\nhead -1 ${folder}/answers; sed -i 1d ${folder}/answers\n`,
  );
  return { line: `command:sh ${script}`, prompts: () => readFileSync(join(folder, 'prompts'), 'utf8') };
}

describe('the prompt', () => {
  it('is an argument, to which the tag and the instruction are added', async () => {
    const repo = makeRepository();
    const agent = makeAgent(repo, ['<result>{"answer":42}</result>']);
    const ended = await run({ repo }, 'Fix the bug', '--agent', agent.line, '--schema', '../s.json');
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ended.stdout)).toEqual({ answer: 42 });
    expect(agent.prompts()).toMatch(/^Fix the bug\n\nEnd with your answer between <result> and <\/result>/u);
    expect(agent.prompts()).toContain('{ "answer": number }');
  });

  it('comes from stdin, and is unchanged if it names the tag', async () => {
    const repo = makeRepository();
    const agent = makeAgent(repo, ['<x>{"answer":1}</x>']);
    const input = 'Answer in <x>. {{NOT_A_KEY}}';
    const words = ['--agent', agent.line, '--tag', 'x', '--schema', NUMBER];
    expect(await run({ repo, input }, ...words)).toMatchObject({ exitCode: 0 });
    expect(agent.prompts()).toBe(input);
  });

  it('comes from stdin as a template, whose instruction is never interpreted', async () => {
    const repo = makeRepository();
    const agent = makeAgent(repo, ['<result>{"answer":1}</result>']);
    const schema = JSON.stringify({
      description: '{{KEY}} !`touch harmed`',
      ...(JSON.parse(NUMBER) as object),
    });
    const words = ['--prompt-file', '-', '--arg', 'KEY=value', '--agent', agent.line, '--schema', schema];
    const ended = await run({ repo, input: 'Use {{KEY}}.' }, ...words);
    expect(ended.stderr).not.toContain('warning');
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(agent.prompts()).toMatch(/^Use value\.\n/u);
    expect(agent.prompts()).toContain('{{KEY}} !`touch harmed`');
  });

  it.each([
    ['twice', ['one', '--prompt', 'two'], 'more than once'],
    ['empty', ['  '], 'The prompt is empty'],
  ])('is refused if it is given %s', async (_title, words, message) => {
    const repo = makeRepository();
    const { stderr, exitCode } = await run({ repo }, ...words, '--agent', 'command:true');
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });
});

describe('the prompt of a batch', () => {
  it('is an argument, to which the tag and the instruction are added as values', async () => {
    const repo = makeRepository();
    const agent = makeAgent(repo, ['<result>{"answer":7}</result>']);
    writeFileSync(join(repo, 'items.jsonl'), '{"TITLE":"{{TEAM}} !`touch harmed`"}\n');
    const schema = JSON.stringify({ description: '{{TITLE}}', ...(JSON.parse(NUMBER) as object) });
    const words = ['Triage {{TITLE}} for {{TEAM}}', '--arg', 'TEAM=core', '--schema', schema];
    const ended = await start({ repo }, 'batch', '--inputs', 'items.jsonl', '--agent', agent.line, ...words);
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'ok', output: { answer: 7 } });
    expect(ended.stderr.split('\n').at(-1)).toMatch(/^1 ok · 0 failed · /u);
    const [said = ''] = agent.prompts().split('\n');
    expect(said).toBe('Triage {{TEAM}} !`touch harmed` for core');
    expect(agent.prompts()).toContain('between <result> and </result>');
    expect(agent.prompts()).toContain('// {{TITLE}}');
  });

  it('has no shared value that it does not use', async () => {
    const repo = makeRepository();
    writeFileSync(join(repo, 'items.jsonl'), '{"TITLE":"a"}\n');
    const words = ['--inputs', 'items.jsonl', '--agent', 'command:true', '--arg', 'TEAM=core'];
    const { stderr, exitCode } = await start({ repo }, 'batch', ...words, 'Triage {{TITLE}}');
    expect(stderr).toContain('`--arg` has `TEAM`, but the prompt has no `{{TEAM}}`.');
    expect(exitCode).toBe(2);
  });
});

describe('retries', () => {
  it('are in a fresh session where the agent cannot resume', async () => {
    const repo = makeRepository();
    const agent = makeAgent(repo, ['<result>{"answer":"?"}</result>', '<result>{"answer":2}</result>']);
    const words = ['Count', '--agent', agent.line, '--schema', NUMBER, '--max-corrections', '1'];
    const { stdout, stderr } = await run({ repo }, ...words);
    expect(JSON.parse(stdout)).toEqual({ answer: 2 });
    expect(stderr).toContain('× attempt 1: answer refused at answer: Expected number, got string.');
  });

  it('are advised when the answer is refused', async () => {
    const repo = makeRepository();
    const agent = makeAgent(repo, ['<result>{"answer":"?"}</result>']);
    const { stderr, exitCode } = await run({ repo }, 'Count', '--agent', agent.line, '--schema', NUMBER);
    expect(exitCode).toBe(3);
    expect(stderr.split('\n').at(-1)).toMatch(/^truecast: .*: `--max-corrections 2`\.$/u);
    expect(stderr).toMatch(/The work is kept: branch truecast\/\S+, worktree /u);
  });
});

describe('the agent', () => {
  it('is an installed one, and is named', async () => {
    const repo = makeRepository();
    const bin = join(dirname(repo), 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'codex'), '#!/bin/sh\nexit 9\n');
    chmodSync(join(bin, 'codex'), 0o755);
    const env = { PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin` };
    const { stderr, exitCode } = await run({ repo, env }, 'Fix it');
    expect(stderr).toMatch(/^· agent: codex \(choose with --agent\)\n/u);
    expect(stderr).toContain('The agent `codex` exited with code 9');
    expect(exitCode).toBe(1);
  });

  it('is missing: the error names how to install one', async () => {
    const repo = makeRepository();
    const { stderr, exitCode } = await run({ repo, env: { PATH: '/usr/bin:/bin' } }, 'Fix it');
    expect(stderr).toContain('npm install -g @anthropic-ai/claude-code');
    expect(exitCode).toBe(2);
  });
});
