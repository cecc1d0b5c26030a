/**
 * Check that git, started in a worktree, works on the files of this worktree. With
 * `extensions.worktreeConfig`, a `core.worktree` of the repository also counts in its worktrees.
 */
import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { git, type GitCallOptions, type GitPaths } from '../command/git.ts';
import type { Repository } from './repository.ts';

/**
 * Sets `core.worktree` in the worktree's own configuration if git would work elsewhere. Starts no
 * git without a `core.worktree`.
 *
 * @throws RepositoryError `unsafe-path` if git would still work elsewhere
 */
export async function ensureOwnFiles(
  { path, gitDir }: { readonly path: string; readonly gitDir: string },
  { repository, timeoutMs, signal }: GitCallOptions & { readonly repository: Repository },
): Promise<void> {
  const entries = await repository.configEntries();
  if (!entries.some(({ key }) => key === 'core.worktree')) return;
  const call = { timeoutMs, signal };
  if (await isAt(path, await topLevelIn(path, call))) return;
  const file = join(gitDir, 'config.worktree');
  // Creates the file with the usual rights. Git keeps other entries.
  await writeFile(file, '', { flag: 'a' });
  const paths: GitPaths = { gitDir, commonDir: repository.commonDir, workTree: path };
  await git(['config', '--file', file, 'core.worktree', path], { ...call, cwd: path, paths });
  const found = await topLevelIn(path, call);
  if (await isAt(path, found)) return;
  throw new RepositoryError(
    `Git in the worktree \`${path}\` works on the files of \`${cut(found ?? 'no checkout')}\`, so an agent could destroy your work there. Remove \`core.worktree\` from the repository's configuration: \`git config --unset core.worktree\`.`,
    { code: 'unsafe-path' },
  );
}

/** Like the agent's git: it finds the repository by its folder. */
async function topLevelIn(path: string, call: GitCallOptions): Promise<string | undefined> {
  const found = await git(['rev-parse', '--show-toplevel'], { ...call, cwd: path });
  return found.exitCode === 0 ? found.stdout.replace(/\n$/u, '') : undefined;
}

async function isAt(path: string, topLevel: string | undefined): Promise<boolean> {
  return topLevel !== undefined && (topLevel === path || topLevel === (await realpath(path)));
}
