/** Repositories whose `core.worktree` also counts in linked worktrees: the agent's git must not leave its own. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BranchStrategy } from '../../packages/truecast/src/git/command/branch-strategy.ts';
import { createWorktree } from '../../packages/truecast/src/run/create-worktree.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixColumns } from '../matrix.ts';
import { commitLine, git, makeRepository, runOptions } from './fixture.ts';

/** A repository that names its own checkout, as some tools do. */
function namedCheckout(): string {
  const cwd = makeRepository();
  git(cwd, 'config', 'core.worktree', cwd);
  git(cwd, 'config', 'extensions.worktreeConfig', 'true');
  return cwd;
}

function submodule(): string {
  const [library, cwd] = [makeRepository('library'), makeRepository()];
  git(cwd, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib');
  git(cwd, 'commit', '-q', '-m', 'submodule');
  const lib = join(cwd, 'lib');
  git(lib, 'config', 'user.name', 'Test');
  git(lib, 'config', 'user.email', 'test@example.invalid');
  git(lib, 'config', 'extensions.worktreeConfig', 'true');
  return lib;
}

const SCRIPT = `git rev-parse --show-toplevel; pwd; git reset -q --hard; git clean -fdq; ${commitLine('b')}`;
const STRATEGIES: readonly BranchStrategy[] = [{ type: 'merge-to-head' }, { type: 'branch', branch: 'work' }];

/** The short form tries each repository and each strategy in both places, and each pair in one. */
function declare(row: number, sandbox: () => SandboxProvider): void {
  const repositories = [
    ['a checkout that its configuration names', namedCheckout],
    ['a submodule', submodule],
  ] as const;
  describe.each(repositories)('in %s', (_what, prepare) => {
    const isSubmodule = prepare === submodule ? 1 : 0;
    it.each(matrixColumns(row + isSubmodule, STRATEGIES, { rows: 2 }))(
      'with `$type`, git works in the worktree of the agent alone',
      async (branchStrategy) => {
        const cwd = prepare();
        writeFileSync(join(cwd, 'a.txt'), 'not committed\n');
        writeFileSync(join(cwd, 'mine'), 'mine\n');
        const result = await run(runOptions(SCRIPT, { cwd, sandbox: sandbox(), branchStrategy }));
        const [topLevel, place] = result.text.split('\n');
        expect(topLevel).toBe(place);
        expect(result.commits).toHaveLength(1);
        expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('not committed\n');
        expect(readFileSync(join(cwd, 'mine'), 'utf8')).toBe('mine\n');
        expect(git(cwd, 'log', '-1', '--format=%s', result.commits[0]?.sha ?? '')).toBe('add b');
      },
    );
  });
}

describe('without a sandbox', () => {
  declare(0, noSandbox);

  it('a kept worktree that is opened again works in its own files', async () => {
    const cwd = namedCheckout();
    writeFileSync(join(cwd, 'a.txt'), 'not committed\n');
    for (const file of ['b', 'c']) {
      await using worktree = await createWorktree({
        cwd,
        branchStrategy: { type: 'branch', branch: 'work' },
      });
      writeFileSync(join(worktree.worktreePath, 'dirty'), '');
      expect(git(worktree.worktreePath, 'rev-parse', '--show-toplevel')).toBe(worktree.worktreePath);
      git(worktree.worktreePath, 'commit', '-q', '--allow-empty', '-m', file);
    }
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('not committed\n');
  });
});

describeInBubblewrap('in bubblewrap', () => declare(1, () => bubblewrap({ egress: 'none' })));
