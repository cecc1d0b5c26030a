/** Batches over several repositories: each item in its own, with its own files, merged and resumed. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { BatchOptions } from '../../packages/truecast/src/run/batch/batch-options.ts';
import type { BatchResult } from '../../packages/truecast/src/run/batch/batch-queue.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import type { RunEvent } from '../../packages/truecast/src/run/events/run-events.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { commitLine, git, makeRepository, temporaryFolder } from './fixture.ts';

/** Runs the prompt as a shell script. */
function scripts(changes: Partial<BatchOptions>): BatchOptions {
  return {
    agent: command({ command: ['sh'] }),
    sandbox: noSandbox(),
    prompt: '{{SCRIPT}}',
    cwd: ({ REPO }) => (typeof REPO === 'string' ? REPO : ''),
    ...changes,
  };
}

async function resultsOf(options: BatchOptions): Promise<BatchResult[]> {
  const results: BatchResult[] = [];
  await runBatch({ ...options, onResult: (result) => void results.push(result) });
  return results.toSorted((a, b) => a.line - b.line);
}

it('works in the repository of each item, and names it in the result', async () => {
  const [one, two] = [makeRepository('one'), makeRepository('two')];
  const inputs = [
    { REPO: one, SCRIPT: commitLine('b.txt') },
    { REPO: two, SCRIPT: commitLine('b.txt') },
    { REPO: '/nowhere', SCRIPT: 'true' },
    { REPO: '', SCRIPT: 'true' },
  ];
  const results = await resultsOf(scripts({ inputs, branchPrefix: 'work' }));
  expect(results).toMatchObject([
    { status: 'ok', cwd: one, commits: [{}] },
    { status: 'ok', cwd: two, commits: [{}] },
    { status: 'failed', cwd: '/nowhere', error: { code: 'invalid-cwd' } },
    { status: 'failed', error: { code: 'invalid-option' } },
  ]);
  for (const [index, cwd] of [one, two].entries()) {
    expect(git(cwd, 'branch', '--format=%(refname:short)').split('\n')).toEqual([
      'main',
      results[index]?.branch,
    ]);
  }
});

it('merges each item into the branch of its repository, also from two folders of one', async () => {
  const [one, two] = [makeRepository('one'), makeRepository('two')];
  git(two, 'checkout', '-q', '-b', 'develop');
  mkdirSync(join(one, 'sub'));
  const inputs = [
    { REPO: one, SCRIPT: commitLine('b.txt') },
    { REPO: join(one, 'sub'), SCRIPT: commitLine('c.txt') },
    { REPO: two, SCRIPT: commitLine('b.txt') },
  ];
  const results = await resultsOf(
    scripts({ inputs, branchStrategy: { type: 'merge-to-head', check: () => undefined } }),
  );
  expect(results.map(({ status, branch }) => [status, branch])).toEqual([
    ['ok', 'main'],
    ['ok', 'main'],
    ['ok', 'develop'],
  ]);
  expect(git(one, 'ls-files').split('\n')).toEqual(['a.txt', 'b.txt', 'c.txt']);
  expect(git(two, 'ls-files').split('\n')).toEqual(['a.txt', 'b.txt']);
  expect(git(two, 'log', '--format=%s', 'main')).toBe('begin');
});

it('continues where an earlier start ended, in each repository', async () => {
  const [one, two] = [makeRepository('one'), makeRepository('two')];
  const out = join(temporaryFolder(), 'out.jsonl');
  const list = [one, two].map((REPO) => ({ REPO, SCRIPT: commitLine('b.txt') }));
  const merging = { branchStrategy: { type: 'merge-to-head' } } as const;
  await runBatch(scripts({ inputs: list.slice(0, 1), out, ...merging }));
  expect(await runBatch(scripts({ inputs: list, out, ...merging }))).toMatchObject({ ok: 1, okEarlier: 1 });
  for (const cwd of [one, two]) expect(git(cwd, 'log', '--format=%s', '-1')).toBe('add b.txt');
});

it('one batch at a time writes a results file, whatever its repositories', async () => {
  const out = join(temporaryFolder(), 'out.jsonl');
  const marks = temporaryFolder();
  const wait = `touch ${marks}/started; until [ -e ${marks}/end ]; do sleep 0.05; done`;
  const first = runBatch(scripts({ inputs: [{ REPO: makeRepository(), SCRIPT: wait }], out }));
  await expect.poll(() => existsSync(join(marks, 'started')), { timeout: 30_000 }).toBe(true);
  const second = runBatch(scripts({ inputs: [{ SCRIPT: 'true' }], cwd: makeRepository(), out }));
  await expect(second).rejects.toMatchObject({ code: 'locked' });
  writeFileSync(join(marks, 'end'), '');
  await first;
  expect(readFileSync(out, 'utf8').trim().split('\n')).toHaveLength(1);
});

it('a worker that only reads opens a sandbox for each repository that follows another', async () => {
  const [one, two] = [makeRepository('one'), makeRepository('two')];
  const inputs = [one, one, two, one].map((REPO, N) => ({ REPO, SCRIPT: 'true', N }));
  const places: string[] = [];
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'run-start') places.push(event.worktreePath);
  };
  const results = await resultsOf(scripts({ inputs, readOnly: true, concurrency: 1, onEvent }));
  expect(results.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok']);
  expect(places.map((path) => /\/(one|two)\//u.exec(path)?.[1])).toEqual(['one', 'one', 'two', 'one']);
  expect(new Set(places).size).toBe(3);
  for (const cwd of [one, two]) expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
});

it('gives each item its own files, and fails the item whose file is missing', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a.png'), 'the shot');
  const marks = temporaryFolder();
  const inputs = ['a.png', 'b.png'].map((SHOT) => ({
    SHOT,
    SCRIPT: `cat .truecast-attachments-*/1-${SHOT} > ${marks}/${SHOT}; exit 0; #`,
  }));
  const results = await resultsOf(
    scripts({
      inputs,
      cwd: makeRepository(),
      attachments: ({ SHOT }) => [join(folder, JSON.stringify(SHOT).slice(1, -1))],
    }),
  );
  expect(results).toMatchObject([
    { status: 'ok' },
    { status: 'failed', error: { code: 'invalid-attachment' } },
  ]);
  expect(readFileSync(join(marks, 'a.png'), 'utf8')).toBe('the shot');
  expect(results[0]).not.toHaveProperty('cwd');
});

it('refuses a file of inputs without the place of an item before the first run', async () => {
  const inputs = join(temporaryFolder(), 'items.jsonl');
  const repository = makeRepository();
  writeFileSync(inputs, `{"SCRIPT":"true","REPO":${JSON.stringify(repository)}}\n{"SCRIPT":"true"}\n`);
  const cwd: BatchOptions['cwd'] = ({ REPO }) => REPO as string;
  await expect(runBatch(scripts({ inputs, cwd }))).rejects.toThrow('Input 2: Expected `cwd` to return');
  expect(git(repository, 'branch', '--format=%(refname:short)')).toBe('main');
});
