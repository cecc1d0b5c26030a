/** Merges that a guest makes or provokes: only the reviewed commit arrives, or nothing. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorktree } from '../../../packages/truecast/src/run/create-worktree.ts';
import { run } from '../../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../../describe-in-bubblewrap.ts';
import { git, makeRepository, runOptions, temporaryFolder } from '../fixture.ts';

const MERGE = { branchStrategy: { type: 'merge-to-head' } } as const;
const sandbox = bubblewrap({ egress: 'none' });

function commitFile(cwd: string, name: string, text = `${name}\n`): void {
  mkdirSync(join(cwd, name, '..'), { recursive: true });
  writeFileSync(join(cwd, name), text);
  git(cwd, 'add', name);
  git(cwd, 'commit', '-q', '-m', name);
}

/** Lets an agent work in a worktree while `meanwhile` changes the checkout. */
async function mergeAfter(cwd: string, script: string, meanwhile: () => void): Promise<unknown> {
  await using worktree = await createWorktree({ cwd, ...MERGE });
  meanwhile();
  const { agent, prompt = '' } = runOptions(script, { cwd });
  return await worktree.run({ agent, prompt, sandbox }).catch((error: unknown) => error);
}

describe('a tag with the name of the branch', () => {
  it('is not merged in its place', async () => {
    const cwd = makeRepository();
    const script = `b=$(git symbolic-ref --short HEAD); echo w > work; git add work; git commit -q -m work
git tag "$b" $(git commit-tree -m evil -p HEAD HEAD^{tree})`;
    await run(runOptions(script, { cwd, ...MERGE }));
    expect(git(cwd, 'log', '-1', '--format=%s')).toBe('work');
  });
});

describeInBubblewrap('a merge of a guest', () => {
  it('of several parents, and with content of none of them, arrives as it was reviewed', async () => {
    const cwd = makeRepository();
    const script = `set -e; for n in 1 2 3; do git checkout -q -b b$n main; echo $n > f$n; git add f$n; git commit -q -m $n; done
git checkout -q -; git checkout -q @{-3} 2>/dev/null || true
git checkout -q $(git for-each-ref --format='%(refname:short)' refs/heads/truecast)
git merge -q --no-edit b1 b2 b3; echo evil > .gitmodules; git add -A; git commit -q --amend --no-edit`;
    const error = await run(runOptions(script, { cwd, sandbox, ...MERGE })).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      code: 'sensitive-changes',
      sensitiveChanges: [{ path: '.gitmodules', reason: 'git-modules' }],
    });
    expect(git(cwd, 'log', '-1', '--format=%s')).toBe('begin');
  });

  it('keeps the message of a merge by name', async () => {
    const cwd = makeRepository();
    git(cwd, 'config', 'merge.log', 'true');
    await mergeAfter(cwd, 'echo w > work; git add work; git commit -q -m work', () =>
      commitFile(cwd, 'mine'),
    );
    expect(git(cwd, 'log', '-1', '--format=%B')).toMatch(
      /^Merge branch 'truecast\/[\d-]+-[0-9a-f]{6}'\n\n\* truecast\/.*:\n {2}work$/u,
    );
  });

  it('with several merge bases arrives', async () => {
    const cwd = makeRepository();
    commitFile(cwd, 'base');
    git(cwd, 'checkout', '-q', '-b', 'side', 'HEAD~1');
    commitFile(cwd, 'side.txt');
    git(cwd, 'checkout', '-q', 'main');
    const main = git(cwd, 'rev-parse', 'HEAD');
    // Each side merges the other's first commit.
    const script = `git merge -q --no-edit ${git(cwd, 'rev-parse', 'side')}; echo w > work; git add work; git commit -q -m work`;
    const result = await mergeAfter(cwd, script, () => {
      git(cwd, 'checkout', '-q', 'side');
      git(cwd, 'merge', '-q', '--no-edit', main);
      git(cwd, 'branch', '-f', 'main', 'side');
      git(cwd, 'checkout', '-q', 'main');
    });
    expect(result).toMatchObject({ commits: expect.any(Array) as unknown });
    expect(git(cwd, 'log', '-1', '--format=%s')).toMatch(/^Merge branch 'truecast\//u);
    expect(git(cwd, 'show', 'HEAD:work')).toBe('w');
    expect(git(cwd, 'status', '--porcelain')).toBe('');
  });

  it.each([
    ['staged', (cwd: string) => git(cwd, 'add', 'a.txt')],
    ['changed', () => undefined],
  ])('changes nothing where the user has %s the same file meanwhile', async (what, act) => {
    const cwd = makeRepository();
    const error = await mergeAfter(cwd, 'echo two > a.txt; git commit -q -a -m work', () => {
      commitFile(cwd, 'mine');
      writeFileSync(join(cwd, 'a.txt'), 'mine\n');
      act(cwd);
    });
    expect(error).toMatchObject({ code: 'merge-conflict' });
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('mine\n');
    expect(git(cwd, 'status', '--porcelain')).toBe(what === 'staged' ? 'M  a.txt' : 'M a.txt');
    expect(git(cwd, 'log', '-1', '--format=%s')).toBe('mine');
  });
});

describeInBubblewrap('with a git that cannot merge in memory', () => {
  const path = process.env['PATH'] ?? '';
  let calls = '';

  beforeEach(() => {
    const folder = temporaryFolder();
    calls = join(folder, 'calls');
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(
      join(folder, 'git'),
      `#!/bin/sh\ncase " $* " in *" --write-tree "*) echo 'usage: git merge-tree <base-tree>' >&2; exit 129;; *" merge "*) echo "$*" >> '${calls}';; esac\nexec '${real}' "$@"\n`,
    );
    chmodSync(join(folder, 'git'), 0o755);
    process.env['PATH'] = `${folder}:${path}`;
  });
  afterEach(() => {
    process.env['PATH'] = path;
  });

  it('a merge commit is made without renames', async () => {
    const cwd = makeRepository();
    commitFile(cwd, 'tools/lint', 'one\ntwo\nthree\nfour\n');
    const script = 'echo w > work; git add work; git commit -q -m work';
    expect(await mergeAfter(cwd, script, () => commitFile(cwd, 'mine'))).toMatchObject({ warnings: [] });
    expect(git(cwd, 'log', '-1', '--format=%s')).toMatch(/^Merge branch 'truecast\//u);
    expect(readFileSync(calls, 'utf8')).toMatch(/-X no-renames [0-9a-f]{40}$/mu);
  });

  it('a file that the agent changed does not follow a renamed folder to the hooks', async () => {
    const cwd = makeRepository();
    commitFile(cwd, 'tools/lint', 'one\ntwo\nthree\nfour\n');
    git(cwd, 'config', 'core.hooksPath', 'githooks');
    git(cwd, 'config', 'merge.directoryRenames', 'true');
    const script = 'echo more >> tools/lint; echo new > tools/pre-commit; git add -A; git commit -q -m work';
    const error = await mergeAfter(cwd, script, () => {
      git(cwd, 'mv', 'tools', 'githooks');
      git(cwd, 'commit', '-q', '-m', 'rename');
    });
    expect(error).toMatchObject({ code: 'merge-conflict' });
    expect(git(cwd, 'ls-files', 'githooks')).toBe('githooks/lint');
    expect(git(cwd, 'status', '--porcelain')).toBe('');
    expect(git(cwd, 'log', '-1', '--format=%s')).toBe('rename');
  });

  it.each(['', 'staged'])(
    'a conflict leaves the checkout as it was, also beside a %s change of the user',
    async (what) => {
      const cwd = makeRepository();
      commitFile(cwd, 'other');
      const error = await mergeAfter(cwd, 'echo two > a.txt; git commit -q -a -m work', () => {
        commitFile(cwd, 'a.txt', 'mine\n');
        writeFileSync(join(cwd, 'other'), 'changed\n');
        if (what === 'staged') git(cwd, 'add', 'other');
      });
      expect(error).toMatchObject({ code: 'merge-conflict' });
      expect(git(cwd, 'status', '--porcelain')).toBe(what === 'staged' ? 'M  other' : 'M other');
      expect(readFileSync(join(cwd, 'other'), 'utf8')).toBe('changed\n');
      expect(git(cwd, 'log', '-1', '--format=%s')).toBe('a.txt');
    },
  );
});
