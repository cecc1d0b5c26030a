/**
 * File copies from the repository to a worktree, for files that git does not track, such as `.env`.
 */
import { constants } from 'node:fs';
import { cp, lstat, mkdir, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { GitCallOptions } from '../command/git.ts';
import { isPathWithin } from '../../support/path-within.ts';
import type { LockedWorktree } from './worktree.ts';

/** Maximum size of one file of `copyToWorktree`. Larger than a build cache or a test database. */
const MAX_FILE_BYTES = 16 * 1024 ** 3;
const UNCOPYABLE = ['ERR_FS_CP_FIFO_PIPE', 'ERR_FS_CP_SOCKET', 'ERR_FS_CP_UNKNOWN'];

export interface CopyOutcome {
  readonly copied: readonly string[];
  /** Not in the repository. */
  readonly missing: readonly string[];
  /** Skipped, because the target in the worktree is behind a symbolic link. */
  readonly blocked: readonly string[];
}

/** Rejects paths that leave the repository, before anything is created. */
export function assertCopyPaths(topLevel: string, paths: readonly string[]): void {
  for (const path of paths) {
    if (
      typeof path === 'string' &&
      isPathWithin(topLevel, resolve(topLevel, path)) &&
      !/^\.git(\/|\\|$)/u.test(relative(topLevel, resolve(topLevel, path)))
    ) {
      continue;
    }
    throw new UsageError(
      `Expected \`copyToWorktree\` to contain paths inside the repository, got ${describeValue(path)}. Pass paths relative to \`${topLevel}\`.`,
    );
  }
}

/**
 * Copies files and folders from the repository's checkout to the same places in a worktree. Uses
 * clones if the file system supports them.
 *
 * Creates parent folders and replaces files. Reports missing files instead of failing. Never writes
 * through a symbolic link of the worktree.
 *
 * @throws UsageError for a path outside of the repository; RepositoryError `timeout`; the signal's
 *   reason
 */
export async function copyToWorktree(
  worktree: LockedWorktree,
  paths: readonly string[],
  { timeoutMs, signal }: GitCallOptions,
): Promise<CopyOutcome> {
  const { topLevel } = worktree.repository;
  assertCopyPaths(topLevel, paths);
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const copied: string[] = [];
  const missing: string[] = [];
  const blocked: string[] = [];
  for (const path of paths) {
    const name = relative(topLevel, resolve(topLevel, path));
    const source = join(topLevel, name);
    if ((await lstat(source).catch(() => undefined)) === undefined) missing.push(path);
    else if (await leadsOut(worktree.path, name)) blocked.push(path);
    else {
      blocked.push(...(await copyOne(source, join(worktree.path, name), either, timeout, timeoutMs)));
      copied.push(path);
    }
  }
  return { copied, missing, blocked };
}

async function copyOne(
  source: string,
  target: string,
  signal: AbortSignal,
  timeout: AbortSignal,
  timeoutMs: number,
): Promise<string[]> {
  const blocked: string[] = [];
  await mkdir(dirname(target), { recursive: true });
  const isNew = (await lstat(target).catch(() => undefined)) === undefined;
  const filter = async (from: string, to: string): Promise<boolean> => {
    signal.throwIfAborted();
    // Node cannot abort the copy of one file, which could fill the disk.
    if ((await lstat(from)).size > MAX_FILE_BYTES) {
      throw uncopyable(from, `larger than ${MAX_FILE_BYTES} bytes`);
    }
    if (isNew || (await lstat(to).catch(() => undefined))?.isSymbolicLink() !== true) return true;
    blocked.push(to);
    return false;
  };
  try {
    await cp(source, target, {
      recursive: true,
      force: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
      filter,
    });
    return blocked;
  } catch (error) {
    if (isUncopyable(error)) throw uncopyable(source, error.message, error);
    if (error !== timeout.reason || !timeout.aborted) throw error;
    throw new RepositoryError(
      `Expected \`copyToWorktree\` to finish within ${timeoutMs} ms, but \`${source}\` was not copied. Raise \`timeouts.copyToWorktreeMs\`, or copy less.`,
      { code: 'timeout', cause: error },
    );
  }
}

/** Node refuses to copy pipes, sockets and devices. */
function isUncopyable(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && UNCOPYABLE.includes(String(error.code));
}

function uncopyable(path: string, kind: string, cause?: Error): RepositoryError {
  return new RepositoryError(
    `Expected \`copyToWorktree\` to find files, folders and links below \`${path}\`, got ${kind}. Remove it, or copy less.`,
    { code: 'unsafe-path', cause },
  );
}

/** Returns true if a path in the worktree passes through a symbolic link that leads out of it. */
async function leadsOut(root: string, name: string): Promise<boolean> {
  const realRoot = await realpath(root);
  let current = root;
  for (const part of name.split(/[/\\]/u)) {
    current = join(current, part);
    const found = await lstat(current).catch(() => undefined);
    if (found === undefined) return false;
    if (!found.isSymbolicLink()) continue;
    const target = await realpath(current).catch(() => undefined);
    if (current === join(root, name) || target === undefined || !isPathWithin(realRoot, target)) return true;
  }
  return false;
}
