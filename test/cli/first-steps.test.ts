/** First steps without a key: the overview, the demo in an empty folder, the scripted model, and completion. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { FORM } from '../matrix.ts';
import { MAIN, makeRepository, temporaryFolder, truecast } from './cli-fixture.ts';
import { runCommand } from './run-command.ts';
import { serveHere } from './serve-here.ts';

/** A printed command line that works where it is printed: in a clone, or beside installed packages. */
const STARTED = (command: string): RegExp =>
  new RegExp(`(?:npm run -s truecast --|npx --no truecast) ${command}`, 'u');

describe('truecast without a command', () => {
  it('prints what is here, and what can be done', async () => {
    const repo = makeRepository();
    const env = { PATH: '/usr/bin:/bin', ANTHROPIC_API_KEY: 'x', OPENAI_API_KEY: '', GEMINI_API_KEY: '' };
    const { stdout, stderr } = await runCommand([], { cwd: repo, env });
    expect(stderr).toBe('');
    expect(stdout.replaceAll(/\s+/gu, ' ')).toMatch(
      /Here: a git repository \(main\), .*bubblewrap.*, no agent is installed, ANTHROPIC_API_KEY set\./u,
    );
    expect(stdout).toMatch(STARTED('demo'));
  });

  it.each([
    ['', true],
    ['x', false],
  ])('names the scripted model for an agent with the key "%s"', async (key, isNamed) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'codex'), '#!/bin/sh\necho 1.0.0\n', { mode: 0o755 });
    const env = {
      PATH: `${folder}:/usr/bin:/bin`,
      ANTHROPIC_API_KEY: '',
      OPENAI_API_KEY: key,
      GEMINI_API_KEY: '',
    };
    const { stdout } = await runCommand([], { cwd: makeRepository(), env });
    expect(stdout).toContain('Ask an agent');
    expect(STARTED('mock').test(stdout)).toBe(isNamed);
  });

  it('advises a repository where there is none', async () => {
    const { stdout, exitCode } = await truecast(temporaryFolder());
    expect(stdout).toMatch(/Here: no git repository[\s\S]*git init/u);
    expect(exitCode).toBe(0);
  });
});

it('shows a refused and corrected answer in an empty folder, and writes nothing there', async () => {
  const cwd = temporaryFolder();
  const before = readdirSync(cwd);
  const { stdout, stderr, exitCode } = await truecast(cwd, 'demo');
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ filesTracked: 3 });
  expect(stderr).toContain('answer refused at filesTracked');
  expect(readdirSync(cwd).filter((name) => !name.startsWith('.'))).toEqual(before);
});

interface Asked {
  readonly text: string;
  readonly previous?: string;
}

async function ask(url: string, { text, previous }: Asked): Promise<string> {
  const earlier =
    previous === undefined
      ? []
      : [
          { role: 'user', content: text },
          { role: 'assistant', content: previous },
        ];
  const messages = [
    ...earlier,
    { role: 'user', content: previous === undefined ? text : 'It does not fit.' },
  ];
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'any', messages }),
  });
  const body = (await response.json()) as { choices: readonly { message: { content: string } }[] };
  return body.choices[0]?.message.content ?? '';
}

/** Starts the scripted model, and returns the URL of its OpenAI line. */
async function withMock(words: readonly string[], use: (url: string) => Promise<void>): Promise<void> {
  const mock = startMock(['mock', '--port', '0', ...words]);
  let lines = '';
  let exitCode: number | null = null;
  for await (const chunk of mock.stdout.iterator({ destroyOnReturn: false })) {
    lines += String(chunk);
    if (lines.includes('OPENAI_API_KEY')) break;
  }
  try {
    expect(lines).toMatch(/^export ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.1:\d+ ANTHROPIC_API_KEY=mock\n/u);
    await use(/OPENAI_BASE_URL=(\S+)/u.exec(lines)?.[1] ?? '');
  } finally {
    exitCode = await mock.stop();
  }
  expect(exitCode).toBe(0);
}

/** Starts it in the process of the suites. The whole form starts a program. */
function startMock(words: readonly string[]): { readonly stdout: Readable; stop(): Promise<number | null> } {
  if (FORM === 'short') {
    const { stdout, stderr, stop } = serveHere({ words, cwd: process.cwd(), env: process.env });
    stderr.resume();
    return { stdout, stop };
  }
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM');
    await exited;
    return child.exitCode;
  };
  return { stdout: child.stdout, stop };
}

describe('truecast mock', () => {
  it('answers another value of the form of the example, after one wrong answer', async () => {
    const text = 'Do it. Answer between <result> and </result>. For example:\n<result>{"line":1}</result>';
    await withMock([], async (url) => {
      const previous = await ask(url, { text });
      expect(previous).toMatch(/^<result>"not an answer/u);
      expect(await ask(url, { text, previous })).toBe('<result>{"line":2}</result>');
    });
  });

  it('answers the given texts in order, and the last again', async () => {
    await withMock(['--reply', 'one', 'two'], async (url) => {
      const answers = [
        await ask(url, { text: 'a' }),
        await ask(url, { text: 'b' }),
        await ask(url, { text: 'c' }),
      ];
      expect(answers).toEqual(['one', 'two', 'two']);
    });
  });

  it('runs a script of the user', async () => {
    const script = join(temporaryFolder(), 'script.mjs');
    const testing = import.meta.resolve('@truecast/model/testing');
    writeFileSync(
      script,
      `import { reply } from '${testing}';\nexport default (turn) => reply.text(turn.userText + '!');\n`,
    );
    await withMock(['--script', script], async (url) => expect(await ask(url, { text: 'Hi' })).toBe('Hi!'));
  });
});

describe('truecast completion', () => {
  it('completes commands and flags in bash', async () => {
    const { stdout } = await truecast(temporaryFolder(), 'completion', 'bash');
    const complete = async (words: string): Promise<readonly string[]> => {
      const line = `COMP_WORDS=(${words}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _truecast; echo "\${COMPREPLY[@]}"`;
      return (await execa('bash', ['-c', `${stdout}\n${line}`])).stdout.split(' ');
    };
    expect(await complete('truecast doc')).toEqual(['doctor', 'docker']);
    expect(await complete('truecast token cre')).toEqual(['create']);
    expect(await complete('truecast run "Fix it" --sch')).toEqual(['--schema']);
  });

  it.each([['zsh'], ['fish']])('prints a script for %s that names each command', async (shell) => {
    const { stdout, exitCode } = await truecast(temporaryFolder(), 'completion', shell);
    expect(exitCode).toBe(0);
    for (const name of ['demo', 'run', 'mock', 'build-image', 'token']) expect(stdout).toContain(name);
  });

  it('refuses another shell', async () => {
    const { stderr, exitCode } = await truecast(temporaryFolder(), 'completion', 'tcsh');
    expect(stderr).toContain('Allowed choices are bash, zsh, fish');
    expect(exitCode).toBe(2);
  });
});
