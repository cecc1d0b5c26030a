import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { offlineAgent } from './offline-agent-provider.ts';

const PROGRAM = fileURLToPath(new URL('offline-agent.ts', import.meta.url));
const PROMPT = 'Look around. Answer in <result>{"commit": …}</result>.';

let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'truecast offline '));
  git('init', '-q', '-b', 'main');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** No HOME and no identity: git's user settings come from the repository. */
const BARE_ENV = { PATH: process.env['PATH'] ?? '', GIT_CONFIG_NOSYSTEM: '1' };

function git(...args: readonly string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
  return execFileSync('git', [...identity, ...args], { cwd: root, env: BARE_ENV, encoding: 'utf8' }).trim();
}

function commitFiles(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
}

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function work(
  prompt: string = PROMPT,
  cwd: string = root,
  env: Readonly<Record<string, string>> = {},
): Ended {
  return spawnSync(process.execPath, [PROGRAM], {
    cwd,
    input: prompt,
    encoding: 'utf8',
    env: { ...BARE_ENV, ...env },
  });
}

function answerIn(tag: string, { stdout, stderr }: Ended): Readonly<Record<string, unknown>> {
  const payload = stdout.split(`<${tag}>`).at(-1)?.split(`</${tag}>`)[0] ?? stderr;
  return JSON.parse(payload) as Readonly<Record<string, unknown>>; // the program's own JSON
}

test('answers with the data that git reports for its commit', () => {
  commitFiles({ 'small.txt': 'a', 'a large file é.bin': 'x'.repeat(5_000) });
  const answer = answerIn('result', work());

  expect(answer).toEqual({
    commit: git('rev-parse', 'HEAD'),
    filesTracked: git('ls-tree', '-r', '--name-only', 'HEAD').split('\n').length,
    largestFile: { path: 'a large file é.bin', bytes: 5_000 },
  });
});

test('commits one file at the top and leaves other staged changes', () => {
  commitFiles({ 'small.txt': 'a' });
  writeFileSync(join(root, 'staged.txt'), 'mine');
  git('add', 'staged.txt');
  work();

  expect(git('show', '--name-only', '--format=', 'HEAD')).toBe('TRUECAST.md');
  expect(git('status', '--porcelain')).toBe('A  staged.txt');
});

test('adds a line to its file in each run', () => {
  commitFiles({ 'small.txt': 'a' });
  work();
  const first = readFileSync(join(root, 'TRUECAST.md'), 'utf8');
  work();
  const second = readFileSync(join(root, 'TRUECAST.md'), 'utf8');

  expect(second.startsWith(first)).toBe(true);
  expect(second.slice(first.length).split('\n')).toHaveLength(2);
});

test('makes the first commit of a repository without any', () => {
  const answer = answerIn('result', work());

  expect(answer).toMatchObject({ filesTracked: 1, largestFile: { path: 'TRUECAST.md' } });
  expect(git('rev-list', '--count', 'HEAD')).toBe('1');
});

test('commits under its own name if git has no identity', () => {
  git('config', 'user.useConfigOnly', 'true');
  const ended = work();

  expect(ended.status, ended.stderr).toBe(0);
  expect(git('log', '-1', '--format=%an, %cn')).toBe('Truecast offline agent, Truecast offline agent');
});

test('keeps an identity from the environment', () => {
  work(PROMPT, root, { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.invalid' });

  expect(git('log', '-1', '--format=%an <%ae>')).toBe('Ada <ada@example.invalid>');
});

test('works from a folder inside the repository, on its own file at the top', () => {
  commitFiles({ 'small.txt': 'a' });
  const inside = join(root, 'a folder');
  mkdirSync(inside);
  const ended = work(PROMPT, inside);

  expect(ended.status, ended.stderr).toBe(0);
  expect(git('show', '--name-only', '--format=', 'HEAD')).toBe('TRUECAST.md');
});

test('answers in the last tag that the prompt shows whole', () => {
  const ended = work(
    'Read <html> first. Not in <draft>x</draft> but in <verdict_2>…</verdict_2> please, not <b>.',
  );

  expect(answerIn('verdict_2', ended)).toHaveProperty('commit');
});

test('answers in a tag that the prompt only opens', () => {
  expect(answerIn('summary', work('Answer in <summary> tags.'))).toHaveProperty('commit');
});

test('does nothing when the prompt names no tag', () => {
  const ended = work('Look around.');

  expect(ended.status).toBe(1);
  expect(ended.stderr).toContain('names no tag');
  expect(ended.stdout).toBe('');
});

test('does not write through a link of its file’s name', () => {
  commitFiles({ 'small.txt': 'a' });
  writeFileSync(join(root, 'target.txt'), 'untouched');
  symlinkSync('target.txt', join(root, 'TRUECAST.md'));
  const ended = work();

  expect(ended.status).toBe(1);
  expect(readFileSync(join(root, 'target.txt'), 'utf8')).toBe('untouched');
});

test('fails outside a repository with the error of git', () => {
  const outside = mkdtempSync(join(tmpdir(), 'truecast-outside-'));
  const ended = work(PROMPT, outside, { GIT_CEILING_DIRECTORIES: tmpdir() });
  rmSync(outside, { recursive: true });

  expect(ended.status).toBe(1);
  expect(ended.stderr).toContain('not a git repository');
});

test('runs the command of the provider, with the prompt on stdin', () => {
  commitFiles({ 'small.txt': 'a' });
  const { command, stdin } = offlineAgent().buildPrintCommand({
    prompt: PROMPT,
    dangerouslySkipPermissions: true,
  });
  const ended = spawnSync('sh', ['-c', command], {
    cwd: root,
    input: stdin,
    encoding: 'utf8',
    env: BARE_ENV,
  });

  expect(answerIn('result', ended)).toHaveProperty('commit', git('rev-parse', 'HEAD'));
});

test('asks for its program and its Node to be shown in a sandbox', () => {
  expect(offlineAgent().readonlyPaths).toEqual([process.execPath, PROGRAM]);
});
