/**
 * Program of the kills at merges: `work` commits a tree on a run's branch and merges it, and `start`
 * is the start of the next run. Prints the tip, and the warnings.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { openRepository } from '../../packages/truecast/src/git/repository/repository.ts';
import { mergeToHead } from '../../packages/truecast/src/git/worktree/merge.ts';
import { recoverCheckouts } from '../../packages/truecast/src/git/worktree/recover-checkouts.ts';
import { lockWorktree } from '../../packages/truecast/src/git/worktree/worktree.ts';

const [path = '', what = '', name = '', tree = '', kind = ''] = process.argv.slice(2);
const call = { timeoutMs: 600_000 };
const onWarning = (message: string): void => void process.stdout.write(`${message}\n`);
const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: path, encoding: 'utf8' }).trim();

if (what === 'start') {
  await recoverCheckouts({ repository: await openRepository(path, call), onWarning, ...call });
} else await work();

/** The worktree has no files, because only the merge is to be killed. */
async function work(): Promise<void> {
  const place = join(path, '.truecast', 'worktrees', name);
  git('worktree', 'add', '--quiet', '--no-checkout', '-b', name, place);
  const repository = await openRepository(path, call);
  const now = new Date();
  const branchStrategy = { type: 'branch', branch: name } as const;
  const worktree = await lockWorktree({
    repository,
    branchStrategy,
    command: 'proof',
    now,
    onWarning: () => undefined,
    ...call,
  });
  const tip = git('commit-tree', '-m', name, '-p', repository.headSha, tree);
  git('update-ref', `refs/heads/${name}`, tip);
  if (kind === 'diverged') git('commit', '--quiet', '--allow-empty', '-m', 'meanwhile');
  process.stdout.write(`tip ${tip}\n`);
  await mergeToHead({ worktree, now, onWarning, ...call });
}
