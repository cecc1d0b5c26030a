/** Tests of `truecast batch` as a process: killed in the middle, interrupted, resumed. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { matrixRuns } from '../matrix.ts';
import { git, MAIN, makeRepository, truecast, type Ended } from './cli-fixture.ts';

const ECHO =
  String.raw`command:sh -c 'p=$(cat); case "$p" in *fail*) exit 3;; esac; sleep 0.2; echo "<result>{\"answer\":\${p##* }}</result>"'`.replace(
    String.raw`\${`,
    '${',
  );

function flags(...more: readonly string[]): string[] {
  const shared = ['--sandbox', 'none', '--tag', 'result', '--schema', '../s.json', '--agent', ECHO];
  return ['batch', '--inputs', 'items.jsonl', '--prompt', 'In <result>: {{x}} {{N}}', ...shared, ...more];
}

function writeInputs(repo: string, ...inputs: readonly unknown[]): void {
  writeFileSync(join(repo, 'items.jsonl'), inputs.map((input) => `${JSON.stringify(input)}\n`).join(''));
}

interface Line {
  readonly line: number;
  readonly status: string;
  readonly output?: unknown;
}

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** Far more than those that are done when the signal comes: after the third result. */
const COUNT = matrixRuns(10, 20);
const INPUTS = Array.from({ length: COUNT }, (_, N) => ({ N, x: '' }));

/** Starts the batch, and sends it a signal after some results exist. */
async function endAfterSome(repo: string, signal: 'SIGKILL' | 'SIGINT'): Promise<Ended> {
  const out = join(repo, 'out.jsonl');
  const child = execa(process.execPath, [MAIN, ...flags('--out', 'out.jsonl')], { cwd: repo, reject: false });
  while (!existsSync(out) || linesOf(readFileSync(out, 'utf8').replace(/[^\n]*$/u, '')).length < 3) {
    await sleep(20);
  }
  child.kill(signal);
  const { stdout, stderr, exitCode } = await child;
  return { stdout, stderr, exitCode };
}

it('prints a line of JSON for each input, a line for a person on stderr, and fails when any did', async () => {
  const repo = makeRepository();
  writeInputs(repo, { N: 1, x: '' }, { N: 2, x: 'fail', id: 'second' });
  const { stdout, stderr, exitCode } = await truecast(repo, ...flags());
  expect(exitCode).toBe(1);
  expect(linesOf(stdout).toSorted((a, b) => a.line - b.line)).toMatchObject([
    { line: 1, status: 'ok', output: { answer: 1 } },
    { line: 2, id: 'second', status: 'failed', error: { code: 'exit' } },
  ]);
  expect(stderr).toMatch(/^\d\/2 line 1: ok \(\d+\.\d s\)$/mu);
  expect(stderr).toMatch(/^\d\/2 line 2 \(second\): failed, exit: /mu);
  expect(stderr).toMatch(/^1 ok · 1 failed · /mu);
});

it('does exactly what is missing after it was killed', async () => {
  const repo = makeRepository();
  writeInputs(repo, ...INPUTS);
  await endAfterSome(repo, 'SIGKILL');
  const kept = linesOf(readFileSync(join(repo, 'out.jsonl'), 'utf8').replace(/[^\n]*$/u, ''));
  expect(kept.length).toBeLessThan(COUNT);

  const { exitCode, stdout, stderr } = await truecast(repo, ...flags('--out', 'out.jsonl', '--json'));
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ ok: COUNT - kept.length, okEarlier: kept.length, total: COUNT });
  const all = linesOf(readFileSync(join(repo, 'out.jsonl'), 'utf8'));
  expect(all.slice(0, kept.length)).toEqual(kept);
  expect(all.map(({ output }) => output).toSorted(byAnswer)).toEqual(INPUTS.map(({ N }) => ({ answer: N })));
});

it('keeps finished results when interrupted, and continues when started again', async () => {
  const repo = makeRepository();
  writeInputs(repo, ...INPUTS);
  const { exitCode, stderr } = await endAfterSome(repo, 'SIGINT');
  expect(exitCode).toBe(130);
  expect(stderr).toContain('To continue, start the same command again.');
  const kept = linesOf(readFileSync(join(repo, 'out.jsonl'), 'utf8'));
  expect(kept.length).toBeLessThan(COUNT);
  const again = await truecast(repo, ...flags('--out', 'out.jsonl', '--json'));
  expect(JSON.parse(again.stdout)).toMatchObject({ ok: COUNT - kept.length, okEarlier: kept.length });
});

it('works in the repository of each input, and attaches its file', async () => {
  const [repo, other] = [makeRepository(), makeRepository()];
  writeFileSync(join(repo, 'shot-1.txt'), 'one');
  writeFileSync(join(repo, 'shot-2.txt'), 'two');
  writeInputs(repo, { N: 1, REPO: repo }, { N: 2, REPO: other });
  const agent = `command:cat .truecast-attachments-*/1-shot-*.txt > seen.txt; git add -A; git commit -q -m seen`;
  const args = [
    'batch',
    '--inputs',
    'items.jsonl',
    '--prompt',
    '{{N}}',
    '--sandbox',
    'none',
    '--agent',
    agent,
  ];
  const places = ['--cwd', '{{REPO}}', '--attach', './shot-{{N}}.txt', '--branch-prefix', 'seen'];
  const { stdout, stderr, exitCode } = await truecast(repo, ...args, ...places);
  expect(exitCode, stderr).toBe(0);
  const lines = linesOf(stdout).toSorted((a, b) => a.line - b.line) as (Line & {
    cwd: string;
    branch: string;
  })[];
  expect(lines.map(({ cwd }) => cwd)).toEqual([repo, other]);
  const seen = await Promise.all(lines.map(({ cwd, branch }) => git(cwd, 'show', `${branch}:seen.txt`)));
  expect(seen).toEqual(['one', 'two']);
  const wrong = await truecast(repo, ...args, '--cwd', '{{MISSING}}');
  expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
  expect(wrong.stderr).toContain('`{{MISSING}}`');
});

it('refuses a wrong input with its line, before anything is run', async () => {
  const repo = makeRepository();
  writeInputs(repo, { N: 1, x: '' }, { N: 1 });
  const { stdout, stderr, exitCode } = await truecast(repo, ...flags());
  expect(exitCode).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain('Input 2: the prompt contains `{{x}}`');
});

function byAnswer(a: unknown, b: unknown): number {
  return (a as { answer: number }).answer - (b as { answer: number }).answer;
}
