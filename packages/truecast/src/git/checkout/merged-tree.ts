/** The merge of two commits, computed without a checkout. */
import { git, gitFailed, gitOutput, type GitOptions } from '../command/git.ts';
import { hasNoSpace } from '../command/git-failure.ts';

/** Result of a merge in memory. */
export interface MergedTree {
  /** Undefined if there are conflicts, or if git is too old for such a merge. */
  readonly tree: string | undefined;
  /** Paths that both sides changed. */
  readonly conflicts: readonly string[];
}

/** Merges two commits. A conflict found here never reaches the checkout. @throws RepositoryError `disk-full` */
export async function readMergedTree(ours: string, theirs: string, call: GitOptions): Promise<MergedTree> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs];
  const result = await git(args, call);
  const { stdout, exitCode } = result;
  if (exitCode !== 0 && hasNoSpace(result)) throw gitFailed(args, result, call.cwd);
  const [tree, ...files] = stdout.split('\0').filter((line) => line !== '');
  if (exitCode === 1) return { tree: undefined, conflicts: [...new Set(files)] };
  // Any other exit code means that git is too old. A real merge is undone if it fails.
  return { tree: exitCode === 0 ? tree : undefined, conflicts: [] };
}

/** Returns the message that git would write for a merge by the branch's name. */
export async function mergeMessage(branch: string, tip: string, call: GitOptions): Promise<string> {
  const input = `${tip}\t\tbranch '${branch}' of .\n`;
  return (await gitOutput(['fmt-merge-msg'], { ...call, input })).trim();
}
