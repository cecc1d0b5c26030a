/** Warnings about a sandbox with its own git directory, in which git can do less than in the caller's checkout. */
import { isPartialClone, isSetTrue } from '../../git/command/config-entries.ts';
import { type LockedWorktree, worktreePaths } from '../../git/worktree/worktree.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { GitCallOptions } from '../../git/command/git.ts';
import { listGitlinks } from '../../git/worktree/status.ts';

/** What the warnings depend on. */
interface OwnGitWarningOptions {
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

/** Circumstances of a place. */
interface SubmoduleWarningOptions extends GitCallOptions {
  /** True if the agent runs in a sandbox, not on the host. */
  readonly isGuest: boolean;
  readonly warn: (message: string) => void;
}

const MAX_NAMED = 5;

/** Warns if the checkout has submodules that the agent cannot use as in the caller's checkout. */
export async function warnAboutSubmodules(
  worktree: LockedWorktree,
  { isGuest, warn, ...call }: SubmoduleWarningOptions,
): Promise<void> {
  const isHead = worktree.strategy.type === 'head';
  if (isHead && !isGuest) return;
  const paths = await listGitlinks({ paths: worktreePaths(worktree) }, call);
  if (paths.length === 0) return;
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  const named = `${paths
    .slice(0, MAX_NAMED)
    .map((path) => `\`${cut(path)}\``)
    .join(', ')}${more}`;
  if (isHead) {
    warn(
      `submodules: The agent can read ${named} and cannot commit in them, because the sandbox has no write access to their repositories. Commit there yourself, or use \`noSandbox()\`.`,
    );
  } else {
    warn(
      `submodules: A worktree has no files of ${named}. To fill them, run \`git submodule update --init\` in a hook of \`host.onWorktreeReady\`.${isGuest ? ' In a sandbox, git does not work inside them.' : ''} A worktree with filled submodules is kept.`,
    );
  }
}
