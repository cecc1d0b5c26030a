/** Attachments in commits: only an agent that overrides the ignore file commits them, and nothing of it lands. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { gitOutput, type GitCallOptions } from '../../git/command/git.ts';
import { pathsOf } from '../../git/repository/repository.ts';
import { readTip } from '../../git/landing/final-commit.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';

const MAX_SHOWN = 5;

/**
 * Rejects commits of a run that contain an attached file, also if a later commit removes it.
 *
 * @param folder - its name, in the worktree's top folder
 * @throws RepositoryError `attachment-in-commits` with the paths
 */
export async function refuseCommittedAttachments(
  worktree: LockedWorktree,
  folder: string,
  call: GitCallOptions,
): Promise<void> {
  const { repository, branch = 'HEAD', baseSha, path } = worktree;
  const tip = worktree.branch === undefined ? 'HEAD' : await readTip(worktree, call);
  if (tip === undefined) return;
  const args = ['log', '--format=', '--name-only', '-z', '-m', '--no-renames', tip, `^${baseSha}`];
  const listed = await gitOutput([...args, '--', folder], {
    ...call,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
  });
  const found = [...new Set(listed.split('\0').map((name) => name.trim()))].filter((name) => name !== '');
  if (found.length === 0) return;
  const shown = found.slice(0, MAX_SHOWN).map((name) => `\`${cut(name)}\``);
  throw new RepositoryError(
    `The commits of \`${branch}\` contain attached files: ${shown.join(', ')}. Nothing was merged or published, and the branch is kept. Remove them from each commit, such as with \`git rebase -i ${baseSha.slice(0, 12)}\` in \`${path}\`.`,
    { code: 'attachment-in-commits' },
  );
}
