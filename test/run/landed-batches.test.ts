/** Batches that merge: in order of completion, checked, and once also after a kill. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TreeCheck } from '../../packages/truecast/src/git/command/tree-check.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { BatchOptions, BatchProgress } from '../../packages/truecast/src/run/batch/batch-options.ts';
import type { BatchResult } from '../../packages/truecast/src/run/batch/batch-queue.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { bundledHost } from '../bundled-host.ts';
import { makeNumbers, numbersOn, setTwo, sumIsSmall } from '../declare-checked-merges.ts';
import { commitLine, git, makeRepository, temporaryFolder } from './fixture.ts';
import { landingBatch } from './landing-batch.ts';

const HOST = new URL('landing-batch-host.ts', import.meta.url);

/** Options of a batch whose inputs are the scripts of its agents. */
function scripts(cwd: string, list: readonly string[], changes: Partial<BatchOptions> = {}): BatchOptions {
  return {
    cwd,
    agent: command({ command: ['sh'] }),
    sandbox: noSandbox(),
    inputs: list.map((SCRIPT) => ({ SCRIPT })),
    prompt: '{{SCRIPT}}',
    branchStrategy: { type: 'merge-to-head', check: sumIsSmall },
    ...changes,
  };
}

async function resultsOf(options: BatchOptions): Promise<BatchResult[]> {
  const results: BatchResult[] = [];
  await runBatch({ ...options, onResult: (result) => void results.push(result) });
  return results;
}

const branches = (cwd: string): string[] => git(cwd, 'branch', '--format=%(refname:short)').split('\n');

it('lands what passes the check, and keeps the branch of an item that does not', async () => {
  const cwd = makeNumbers();
  const list = [setTwo('p'), setTwo('q'), commitLine('readme.txt'), 'true'];
  const results = await resultsOf(scripts(cwd, list, { concurrency: 1 }));
  const [first, second, third, fourth] = results.toSorted((a, b) => a.line - b.line);
  expect(first).toMatchObject({ status: 'ok', merged: true, branch: 'main' });
  expect(third).toMatchObject({ status: 'ok', merged: true, branch: 'main' });
  expect(second).toMatchObject({
    status: 'failed',
    error: { code: 'check-failed', message: expect.stringContaining('p + q is 3 or more.') as unknown },
  });
  expect(numbersOn(cwd, second?.branch ?? '')).toBe('02');
  expect(fourth).toMatchObject({ status: 'ok', commits: [] });
  expect(fourth).not.toHaveProperty('merged');
  expect([numbersOn(cwd, 'main'), git(cwd, 'status', '--porcelain')]).toEqual(['20', '']);
  expect(branches(cwd)).toEqual(['main', second?.branch]);
});

it('frees the worker before a branch waits to land, and lands in order of completion', async () => {
  const cwd = makeRepository();
  const marks = temporaryFolder();
  const order: string[] = [];
  const seen: BatchProgress[] = [];
  // The check of the first waits for the run of the last, with one worker.
  const check: TreeCheck = async ({ exec }) => {
    order.push((await exec('git log -1 --format=%s')).stdout.trim());
    await exec(`until [ -e '${marks}/c' ]; do sleep 0.05; done`);
    return undefined;
  };
  const list = ['a', 'b', 'c'].map((name) => `${commitLine(`${name}.md`)}; touch '${marks}/${name}'`);
  await resultsOf(
    scripts(cwd, list, {
      concurrency: 1,
      branchStrategy: { type: 'merge-to-head', check },
      onProgress: (progress) => void seen.push(progress),
    }),
  );
  expect(order[0]).toBe('add a.md');
  expect(git(cwd, 'log', '--first-parent', '--reverse', '--format=%s').split('\n').at(1)).toBe('add a.md');
  expect(readdirSync(cwd).filter((file) => file.endsWith('.md'))).toEqual(['a.md', 'b.md', 'c.md']);
  expect(Math.max(...seen.map(({ running }) => running))).toBe(1);
  expect(Math.max(...seen.map(({ landing = 0 }) => landing))).toBeGreaterThan(1);
});

it('a failed item is repeated on request, on what has landed since', async () => {
  const cwd = makeNumbers();
  const out = join(temporaryFolder(), 'results.jsonl');
  let accepts = false;
  const check: TreeCheck = () => (accepts ? undefined : 'not now');
  // A second commit of the same second would be the object that the branch of the failed item has.
  const script = `${setTwo('p')} -m $$`;
  const options = scripts(cwd, [script], { out, branchStrategy: { type: 'merge-to-head', check } });
  expect(await runBatch(options)).toMatchObject({ ok: 0, failed: 1 });
  accepts = true;
  expect(await runBatch(options)).toMatchObject({ ok: 0, failed: 0, failedEarlier: 1 });
  expect(await runBatch({ ...options, retryFailed: true })).toMatchObject({ ok: 1, failed: 0 });
  expect(numbersOn(cwd, 'main')).toBe('20');
});

describe('after a kill', () => {
  it.each([
    ['during the check', 'check', 1],
    ['between the landing and the line of the result', 'landed', 0],
    ['after the deletion of the landed branch', 'deleted', 0],
  ])('%s, the next start lands the branch without another run', async (_title, stage, checks) => {
    const cwd = makeRepository();
    const out = join(temporaryFolder(), 'results.jsonl');
    const marks = join(temporaryFolder(), 'marks');
    mkdirSync(marks);
    const host = await bundledHost(HOST);
    const child = spawn(process.execPath, [host, cwd, out, marks, stage], { stdio: 'inherit' });
    await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    expect(existsSync(out) ? readFileSync(out, 'utf8') : '').toBe('');
    writeFileSync(join(marks, 'checks'), '');
    await runBatch(landingBatch({ cwd, out, marks, stage: 'none' }));
    expect(readFileSync(join(marks, 'runs'), 'utf8'), 'the agent ran once').toBe('run\n');
    expect(readFileSync(join(marks, 'checks'), 'utf8')).toBe('check\n'.repeat(checks));
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({
      status: 'ok',
      merged: true,
      branch: 'main',
      commits: [{ sha: git(cwd, 'rev-parse', 'main') }],
    });
    expect([branches(cwd), git(cwd, 'status', '--porcelain')]).toEqual([['main'], '']);
    expect(readdirSync(join(cwd, '.git', 'truecast', 'landings'))).toEqual([]);
  });
});

describe('is refused before the first run:', () => {
  const merging = { type: 'merge-to-head' } as const;
  it.each([
    [
      'another strategy',
      { branchStrategy: { type: 'branch', branch: 'x' } as never },
      "{ type: 'merge-to-head'",
    ],
    [
      'a prefix',
      { branchStrategy: { ...merging, branchPrefix: 'x' } as never },
      '`branchPrefix` of the batch',
    ],
    [
      '`readOnly`',
      { branchStrategy: merging, readOnly: true },
      'Expected no `branchStrategy` for `runBatch()`',
    ],
    ['`publish`', { branchStrategy: merging, publish: 'pull-request' }, 'with `publish` nothing is merged'],
    [
      'a check that is no function',
      { branchStrategy: { ...merging, check: 1 } as never },
      'to be a function',
    ],
  ] as const)('%s', async (_title, wrong, message) => {
    await expect(runBatch(scripts('/nowhere', ['true'], wrong))).rejects.toThrow(message);
  });
});
