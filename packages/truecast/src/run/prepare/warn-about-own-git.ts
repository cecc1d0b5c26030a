/** Warnings about a sandbox with its own git directory, in which git can do less than in the caller's checkout. */
import { isPartialClone, isSetTrue } from '../../git/command/config-entries.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';

/** What the warnings depend on. */
export interface OwnGitWarningOptions {
  readonly sandbox: SandboxProvider;
  readonly worktree: LockedWorktree;
  readonly warn: (message: string) => void;
}

/** Returns true if git inside works in a directory of its own, without the caller's keys and remotes. */
function hasOwnGit(sandbox: SandboxProvider): boolean {
  return sandbox.tag === 'isolated' || (sandbox.tag === 'bind-mount' && sandbox.hasOwnGit === true);
}

/** Warns, before the agent starts, if git inside cannot fetch the objects that a partial clone lacks. */
export async function warnAboutPartialClone({
  sandbox,
  worktree,
  warn,
}: OwnGitWarningOptions): Promise<void> {
  if (!hasOwnGit(sandbox) || !isPartialClone(await worktree.repository.configEntries())) return;
  warn(
    'partial clone: This repository lacks objects, and git in the sandbox cannot fetch them. There, `git log -p` and `git blame` of an old file end without its text. For a complete clone, run `git config --unset remote.origin.partialclonefilter && git fetch --refetch && git config --unset remote.origin.promisor`.',
  );
}

/** Warns, after the run, if the caller signs commits and the agent's are unsigned. */
export async function warnAboutSignatures(
  { sandbox, worktree, warn }: OwnGitWarningOptions,
  commits: readonly { readonly sha: string }[],
): Promise<void> {
  const [first] = commits;
  if (first === undefined || !hasOwnGit(sandbox)) return;
  if (!isSetTrue(await worktree.repository.configEntries(), 'commit.gpgsign')) return;
  warn(
    `signatures: \`commit.gpgsign\` is set, and the agent's commits are unsigned, because the sandbox has no keys. To sign them, run \`git rebase --exec 'git commit --amend --no-edit -S' ${first.sha}^\` on their branch.`,
  );
}
