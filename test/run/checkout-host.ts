/**
 * Process that writes a checkout: `merge` and `merge-diverged` merge the work of many slow files, `add` places a
 * branch, and `land` merges one file. Its arguments are the kind, the repository, and the number of files or of that file.
 */
import { rmSync } from 'node:fs';
import { CALL, commit, place, plainGit, writeIn } from '../../packages/truecast/src/git/test-repository.ts';
import { deleteMergedBranch } from '../../packages/truecast/src/git/worktree/delete-merged-branch.ts';
import { mergeToHead } from '../../packages/truecast/src/git/worktree/merge.ts';

const onWarning = (text: string): void => void process.stderr.write(`${text}\n`);
const [kind = '', path = '', number = ''] = process.argv.slice(2);

async function mergeSlowFiles(): Promise<void> {
  const worktree = await place(path);
  for (let file = 0; file < Number(number); file += 1) {
    writeIn(worktree.path, `f${file}.slow`, `${'x'.repeat(100)}${file}`);
  }
  writeIn(worktree.path, 'a.txt', 'agent\n');
  rmSync(`${worktree.path}/gone.txt`);
  plainGit(worktree.path, 'add', '-A');
  plainGit(worktree.path, 'commit', '--quiet', '-m', 'work');
  if (kind === 'merge-diverged') commit(path, 'other.txt', 'x');
  await mergeToHead({ worktree, now: new Date(), onWarning, ...CALL });
}

async function land(): Promise<void> {
  const worktree = await place(path);
  commit(worktree.path, `file-${number}.txt`, number);
  const options = { worktree, onWarning, ...CALL };
  const merged = await mergeToHead({ ...options, now: new Date(), waitMs: 120_000 });
  await deleteMergedBranch(merged, { ...options, isWorktreeGone: false });
  await worktree.lock.release();
}

if (kind === 'add') await place(path, { branchStrategy: { type: 'branch', branch: 'topic' } });
else if (kind === 'land') await land();
else await mergeSlowFiles();
