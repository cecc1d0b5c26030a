/** The merge of two commits, computed without a checkout. */
import { git, gitOutput, type GitOptions } from '../command/git.ts';

/** Result of a merge in memory. */
export interface MergedTree {
  /** Undefined if there are conflicts, or if git is too old for such a merge. */
  readonly tree: string | undefined;
  /** Paths that both sides changed. */
  readonly conflicts: readonly string[];
}

/** Merges two commits. A conflict found here never reaches the checkout. */
export async function readMergedTree(ours: string, theirs: string, call: GitOptions): Promise<MergedTree> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs];
  const { stdout, exitCode } = await git(args, call);
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
