/**
 * Table of agents that leave their branch: the same tricks in each sandbox, and the one result that
 * all sandboxes must give.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BranchStrategy } from '../packages/truecast/src/git/command/branch-strategy.ts';
import type { SandboxProvider } from '../packages/truecast/src/ports/sandbox-provider.ts';
import { repositoryTemplate } from '../packages/truecast/src/git/test-template.ts';
import { run } from '../packages/truecast/src/run/run.ts';
import { FORM, matrixColumns } from './matrix.ts';
import { commitLine, git, makeRepository, runOptions, temporaryFolder } from './run/fixture.ts';

const change = (text: string): string => `echo ${text} > a.txt; git commit -q -a -m ${text}`;

/** What an agent does, the subjects that its branch gets, and the names of its other work. */
interface Trick {
  readonly script: string;
  readonly onBranch: readonly string[];
  readonly aside: readonly string[];
  readonly isUnfinished?: boolean;
}

const TRICKS: Readonly<Record<string, Trick>> = {
  'detaches HEAD': {
    script: `git checkout -q --detach; ${commitLine('b')}`,
    onBranch: [],
    aside: ['HEAD'],
  },
  'makes a branch': {
    script: `git switch -q -c mine; ${commitLine('b')}`,
    onBranch: [],
    aside: ['refs/heads/mine'],
  },
  'makes a branch and comes back': {
    script: `git switch -q -c mine; ${commitLine('b')}; git switch -q -`,
    onBranch: [],
    aside: ['refs/heads/mine'],
  },
  'renames its branch': {
    script: `git branch -m renamed; ${commitLine('b')}`,
    onBranch: [],
    aside: ['refs/heads/renamed'],
  },
  'looks at an old commit': {
    script: `${commitLine('b')}; git checkout -q --detach HEAD~1`,
    onBranch: ['add b'],
    aside: [],
  },
  'looks at a branch of the user': {
    script: `${commitLine('b')}; git checkout -q older`,
    onBranch: ['add b'],
    aside: [],
  },
  'commits in the middle of a rebase': {
    script: `${change('ours')}; git checkout -q -b base HEAD~1; ${change('theirs')}; git switch -q -; git rebase -q base >/dev/null 2>&1; ${change('middle')}`,
    onBranch: ['ours'],
    aside: ['refs/heads/base', 'HEAD'],
    isUnfinished: true,
  },
};

const STRATEGIES: readonly BranchStrategy[] = [
  { type: 'branch', branch: 'feat' },
  { type: 'merge-to-head' },
  { type: 'head' },
];

const copyWithBranch = repositoryTemplate((path) => {
  cpSync(makeRepository(), path, { recursive: true });
  git(path, 'branch', 'older', git(path, 'commit-tree', '-m', 'older', 'HEAD^{tree}'));
});

/** Ids differ from run to run, and only a guest's own git directory is invisible on the host. */
function comparable(warning: string): string {
  return warning
    .replaceAll(/recovered\/[0-9a-f]+\//gu, 'recovered/<id>/')
    .replace(' It is not visible on the host.', '');
}

function warningsOf({ aside, isUnfinished = false }: Trick): readonly string[] {
  const kept = aside.map((from) => {
    const name = from === 'HEAD' ? 'detached-head' : from.slice('refs/'.length);
    const ref = `refs/truecast/recovered/<id>/${name}`;
    return `The agent's \`${from}\` is not the run's branch; it is kept as \`${ref}\`. Show it with \`git log ${ref}\`.`;
  });
  return isUnfinished
    ? [...kept, 'The agent left a merge or rebase unfinished. The next run on this branch can continue it.']
    : kept;
}

/**
 * Declares the table for one sandbox. The short form tries each trick with one of the strategies. If bubblewrap tries
 * them too, it tries one trick: a new branch of a run that merges.
 */
export function declareBranchTricks(sandbox: () => SandboxProvider, isBeside = false): void {
  const isPart = isBeside && FORM === 'short';
  const rows = STRATEGIES.map((branchStrategy, row) => ({ branchStrategy, row }));
  describe.each(rows.filter(({ branchStrategy: { type } }) => !isPart || type === 'merge-to-head'))(
    'with `$branchStrategy.type`',
    ({ branchStrategy, row }) => {
      const tricks = Object.entries(TRICKS);
      it.each(isPart ? tricks.slice(1, 2) : matrixColumns(row, tricks, { rows: rows.length }))(
        'an agent that %s loses no commit, and is told',
        async (_what, trick) => {
          const cwd = join(temporaryFolder(), 'repo');
          copyWithBranch(cwd);
          const result = await run(runOptions(trick.script, { cwd, sandbox: sandbox(), branchStrategy }));
          const subjects = (range: string): readonly string[] =>
            git(cwd, 'log', '--format=%s', range)
              .split('\n')
              .filter((line) => line !== '');
          const recovered = result.recovered ?? [];
          expect({
            branch: result.branch,
            commits: result.commits.map(({ sha }) => git(cwd, 'log', '-1', '--format=%s', sha)),
            recovered: recovered.map(({ from }) => from).toSorted(),
            warnings: result.warnings.map(comparable).toSorted(),
            main: subjects('main'),
            onBranch: subjects(result.branch),
          }).toEqual({
            branch: branchStrategy.type === 'branch' ? 'feat' : 'main',
            commits: trick.onBranch,
            recovered: trick.aside.toSorted(),
            warnings: warningsOf(trick).toSorted(),
            main: branchStrategy.type === 'branch' ? ['begin'] : [...trick.onBranch, 'begin'],
            onBranch: [...trick.onBranch, 'begin'],
          });
          for (const { ref, sha } of recovered) expect(git(cwd, 'rev-parse', ref)).toBe(sha);
          const unreachable = git(cwd, 'fsck', '--no-progress', '--unreachable', '--no-reflogs');
          expect(unreachable).not.toContain('commit');
        },
      );
    },
  );
}
