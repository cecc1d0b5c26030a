import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { commitLine, git, makeRepository, runOptions, temporaryFolder } from './fixture.ts';

afterEach(() => {
  delete process.env['GIT_TRACE2_EVENT'];
});

/** Returns the subcommand of each git that the run itself started, in order. */
async function gitsOf(options: Partial<RunOptions>, work: string = commitLine('b.txt')): Promise<string[]> {
  const trace = join(temporaryFolder(), 'trace.jsonl');
  process.env['GIT_TRACE2_EVENT'] = trace;
  await run(runOptions(`${work}; echo '<result>{"answer": 42}</result>'`, options));
  delete process.env['GIT_TRACE2_EVENT'];
  const started = readFileSync(trace, 'utf8')
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
    .filter(isStart)
    // Processes started by the agent or by git itself have no flag that disables the pager.
    .filter(({ argv }) => argv.includes('--no-pager'));
  return started.map(({ argv }) => {
    const rest = argv.slice(argv.indexOf('--literal-pathspecs') + 1);
    const first = rest.findIndex((word, index) => word !== '-c' && rest[index - 1] !== '-c');
    return rest.slice(first, first + (rest[first] === 'worktree' ? 2 : 1)).join(' ');
  });
}

function isStart(event: unknown): event is { readonly argv: readonly string[] } {
  return typeof event === 'object' && event !== null && 'event' in event && event.event === 'start';
}

describeInBubblewrap('a run in bubblewrap', () => {
  it('asks git ten times in the checkout itself', async () => {
    const sandbox = bubblewrap({ egress: 'none' });
    const gits = await gitsOf({ sandbox, branchStrategy: { type: 'head' } });
    expect(gits.toSorted()).toEqual(
      [
        'config',
        'diff-index',
        'diff-tree',
        'rev-list',
        'rev-list',
        'rev-parse',
        // Names the user's uncommitted changes before the agent starts.
        'status',
        'unpack-objects',
        'update-index',
        'update-ref',
      ].toSorted(),
    );
  });

  it('asks git eight times in the checkout itself if the agent commits nothing', async () => {
    const sandbox = bubblewrap({ egress: 'none' });
    const gits = await gitsOf({ sandbox, branchStrategy: { type: 'head' } }, 'true');
    expect(gits.toSorted()).toEqual(
      [
        'config',
        'diff-tree',
        'rev-list',
        // Two that wait for a change while the agent works.
        'rev-list',
        'rev-parse',
        'status',
        'unpack-objects',
        'update-ref',
      ].toSorted(),
    );
  });

  it('asks git fifteen times on a branch that is merged, and lists the configuration once', async () => {
    const sandbox = bubblewrap({ egress: 'none' });
    const gits = await gitsOf({ sandbox, branchStrategy: { type: 'merge-to-head' } });
    expect(gits.toSorted()).toEqual(
      [
        'config',
        'diff-index',
        'diff-tree',
        'merge',
        'rev-list',
        'rev-list',
        'rev-parse',
        'rev-parse',
        'status',
        'unpack-objects',
        'update-index',
        'update-ref',
        'update-ref',
        'worktree add',
        'worktree remove',
      ].toSorted(),
    );
  });
});

describeInBubblewrap('the branch of a run that is merged', () => {
  it('is visible inside between the other references', async () => {
    const cwd = makeRepository();
    for (const name of ['a', 'zz']) git(cwd, 'branch', name);
    const result = await run(
      runOptions(
        `git for-each-ref --format='%(refname:short)' > names; for name in $(cat names); do git rev-parse -q --verify "$name"; done > ids; git add names ids; git commit -q -m names; echo '<result>{"answer": 42}</result>'`,
        { cwd, sandbox: bubblewrap({ egress: 'none' }), branchStrategy: { type: 'merge-to-head' } },
      ),
    );
    expect(result.commits).toHaveLength(1);
    const names = readFileSync(join(cwd, 'names'), 'utf8').trim().split('\n');
    expect(names).toEqual(['a', 'main', expect.stringMatching(/^truecast\//u), 'zz']);
    expect(new Set(readFileSync(join(cwd, 'ids'), 'utf8').trim().split('\n'))).toEqual(
      new Set([git(cwd, 'rev-parse', 'a')]),
    );
    expect(readFileSync(join(cwd, 'ids'), 'utf8').trim().split('\n')).toHaveLength(4);
  });
});

describe('a run without a sandbox', () => {
  it('asks git five times in the checkout itself', async () => {
    const gits = await gitsOf({ branchStrategy: { type: 'head' } });
    expect(gits.toSorted()).toEqual(['config', 'diff-tree', 'rev-list', 'rev-parse', 'status']);
  });

  it('asks git eight times on a new branch', async () => {
    const gits = await gitsOf({ branchStrategy: { type: 'branch', branch: 'new' } });
    expect(gits.toSorted()).toEqual(
      [
        'config',
        'config',
        'diff-tree',
        'rev-list',
        'rev-parse',
        'status',
        'worktree add',
        'worktree remove',
      ].toSorted(),
    );
  });

  it('asks git eleven times on a branch that is merged', async () => {
    const gits = await gitsOf({ branchStrategy: { type: 'merge-to-head' } });
    expect(gits.toSorted()).toEqual(
      [
        'config',
        'config',
        'diff-tree',
        'merge',
        'rev-list',
        'rev-parse',
        'rev-parse',
        'status',
        'update-ref',
        'worktree add',
        'worktree remove',
      ].toSorted(),
    );
  });

  it('finds a packed branch', async () => {
    const cwd = makeRepository();
    git(cwd, 'branch', 'old');
    git(cwd, 'commit', '-q', '--allow-empty', '-m', 'more');
    git(cwd, 'pack-refs', '--all');
    const gits = await gitsOf({ cwd, branchStrategy: { type: 'branch', branch: 'old' } });
    expect(gits).toContain('for-each-ref');
    expect(git(cwd, 'rev-list', '--count', 'main..old')).toBe('1');
    expect(git(cwd, 'rev-list', '--count', 'old..main')).toBe('1');
  });
});
