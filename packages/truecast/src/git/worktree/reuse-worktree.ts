/** Reuse of a worktree that an earlier run left on a branch. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { journaled } from '../checkout/checkout-journal.ts';
import { lockReason } from '../checkout/lock-reason.ts';
import { git, gitOutput, type GitCallOptions } from '../command/git.ts';
import { pathsOf, type Repository } from '../repository/repository.ts';
import { readStatus } from './status.ts';
import { repairLinks } from './worktree-links.ts';

/** Location of a worktree, and its state when it was opened. */
export interface Place {
  readonly path: string;
  readonly gitDir: string;
  readonly baseSha: string;
  readonly isReused: boolean;
  readonly isNewBranch: boolean;
  readonly wasDirty: boolean;
}

export interface ReuseWorktreeOptions extends GitCallOptions {
  readonly repository: Repository;
  readonly branch: string;
  readonly path: string;
  readonly gitDir: string;
  readonly onWarning: (message: string) => void;
}

/** A remote that does not answer must not delay a run that can do without it. */
const MAX_FETCH_MS = 10_000;

/**
 * Reuses a worktree unchanged. A clean one on its branch is first fast-forwarded to `origin` if
 * possible.
 *
 * A failed update from `origin` does not fail the run.
 */
export async function reuseWorktree(options: ReuseWorktreeOptions): Promise<Place> {
  const { repository, path, gitDir, branch, onWarning } = options;
  // The run that left it can have been killed before it verified its agent's changes.
  for (const { path: changed, what } of await repairLinks(
    { path, gitDir, commonDir: repository.commonDir },
    options,
  )) {
    onWarning(`\`${changed}\`: ${what}.`);
  }
  await writeFile(join(gitDir, 'locked'), `${lockReason(false)}\n`);
  const paths = { gitDir, commonDir: repository.commonDir, workTree: path };
  const { trustedConfig, headSha: trustedCommit } = repository;
  const status = await readStatus({ paths, trustedCommit, trustedConfig }, options);
  if (status.headSha === undefined) throw withoutCommit(path);
  const place: Place = {
    path,
    gitDir,
    baseSha: status.headSha,
    isReused: true,
    isNewBranch: false,
    wasDirty: status.isDirty,
  };
  if (status.isDirty) {
    onWarning(
      `The worktree \`${path}\` is reused with its uncommitted changes: ${status.dirtyPaths.map((dirty) => `\`${dirty}\``).join(', ')}.`,
    );
    return place;
  }
  if (status.branch !== branch) {
    onWarning(`The worktree \`${path}\` is reused unchanged, because its HEAD is not on \`${branch}\`.`);
    return place;
  }
  return upToDate(options, place);
}

/** Fast-forwards a clean worktree on its branch to `origin`, if that is possible. */
export async function upToDate(
  options: Omit<ReuseWorktreeOptions, 'path' | 'gitDir'>,
  place: Place,
): Promise<Place> {
  if (!(await options.repository.trustedConfig()).hasOrigin) return place;
  const { path, gitDir } = place;
  return { ...place, baseSha: (await fastForward({ ...options, path, gitDir })) ?? place.baseSha };
}

async function fastForward(options: ReuseWorktreeOptions): Promise<string | undefined> {
  const { repository, branch, path, gitDir, timeoutMs, signal, onWarning } = options;
  const remote = `refs/remotes/origin/${branch}`;
  const fetched = await git(
    [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-recurse-submodules',
      '--no-write-fetch-head',
      'origin',
      `+refs/heads/${branch}:${remote}`,
    ],
    {
      timeoutMs: Math.min(timeoutMs, MAX_FETCH_MS),
      signal,
      cwd: repository.topLevel,
      paths: pathsOf(repository),
    },
  ).catch((error: unknown) => {
    if (!RepositoryError.isInstance(error)) throw error;
    return { exitCode: 1, stderr: error.message, stdout: '' };
  });
  if (fetched.exitCode !== 0 && !fetched.stderr.includes("couldn't find remote ref")) {
    onWarning(
      `\`git fetch origin ${branch}\` failed, and the run continues without it: ${cut(fetched.stderr.trim())}`,
    );
  }
  if (fetched.exitCode !== 0) return undefined;
  const call = {
    timeoutMs,
    signal,
    cwd: path,
    paths: { gitDir, commonDir: repository.commonDir, workTree: path },
  };
  const config = (await repository.trustedConfig()).hostFilters;
  const tips = await gitOutput(['rev-parse', 'HEAD', `${remote}^{commit}`], call);
  const [from = '', tip = ''] = tips.split('\n');
  const checkout = { kind: 'merge', path, from, to: tip, tip, branch, isNewBranch: false } as const;
  const merged = await journaled(repository.commonDir, checkout, (onSpawn) =>
    git(['merge', '--ff-only', '--quiet', '--no-autostash', tip], { ...call, config, onSpawn }),
  );
  if (merged.exitCode !== 0) {
    onWarning(`\`${branch}\` was not fast-forwarded to \`origin/${branch}\`: ${cut(merged.stderr.trim())}`);
    return undefined;
  }
  const head = await git(['rev-parse', 'HEAD'], call);
  return head.exitCode === 0 ? head.stdout.trim() : undefined;
}

function withoutCommit(path: string): RepositoryError {
  return new RepositoryError(
    `The worktree \`${path}\` has no commit checked out. Inspect it, then remove it with \`git worktree remove --force\`.`,
    { code: 'no-commit' },
  );
}
