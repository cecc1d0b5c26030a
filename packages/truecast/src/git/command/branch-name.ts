/** Names of branches and of their worktree folders. Pure. */
import { createHash } from 'node:crypto';
import { branchNameProblem } from '@truecast/core/internal/kit/branch-name-problem';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';

export interface TemporaryBranchNameOptions {
  readonly name?: string | undefined;
  /** The name contains local time, so that people can find today's branch. */
  readonly now: Date;
  /** Three random bytes. */
  readonly random: Uint8Array;
  /** @default 'truecast' */
  readonly prefix?: string | undefined;
}

const DEFAULT_PREFIX = 'truecast';

/**
 * Maximum length of a name's part of a branch or folder, in UTF-16 units. File systems limit names
 * to 255 bytes.
 */
const MAX_SLUG_CHARS = 60;

/**
 * Returns `<prefix>/[<name>/]YYYYMMDD-HHMMSS-<6 hex>`.
 *
 * @throws RepositoryError `invalid-branch` for a prefix that git would reject
 */
export function temporaryBranchName(options: TemporaryBranchNameOptions): string {
  const { name, now, random, prefix = DEFAULT_PREFIX } = options;
  assertBranchName(prefix);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const time = `${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
  const suffix = Buffer.from(random).toString('hex').slice(0, 6);
  const slug = slugOf(name ?? '');
  return `${prefix}/${slug === '' ? '' : `${slug}/`}${day}-${time}-${suffix}`;
}

/** Returns true if `temporaryBranchName` can have created `branch`, with any prefix. */
export function isTemporaryBranch(branch: string): boolean {
  return /.\/\d{8}-\d{6}-[0-9a-f]{6}$/u.test(branch);
}

/**
 * Returns the folder name of a branch's worktree: readable, and unique per branch.
 *
 * `a/b` and `a-b` would both become `a-b`, and `A` and `a` are one folder on some file systems. A
 * hash of the name makes them unique.
 */
export function worktreeDirectoryName(branch: string): string {
  const hash = createHash('sha256').update(branch).digest('hex').slice(0, 8);
  return `${slugOf(branch) || 'branch'}-${hash}`;
}

export function branchLockKey(branch: string): string {
  return worktreeLockKey(worktreeDirectoryName(branch));
}

/** Returns the lock key of a run in a worktree, from the name of the folder. */
export function worktreeLockKey(directoryName: string): string {
  // If the folder name was taken, a number was appended to it. The branch is the same.
  return `worktree:${directoryName.replace(/(-[0-9a-f]{8})-\d+$/u, '$1')}`;
}

/**
 * Rejects a name that git would not accept for a branch.
 *
 * @throws RepositoryError `invalid-branch`
 */
export function assertBranchName(branch: string): void {
  const reason = branchNameProblem(branch);
  if (reason === undefined) return;
  throw new RepositoryError(
    `Expected a valid branch name, got ${describeValue(branch)}: it ${reason}. Use letters, digits, \`-\`, \`_\`, \`.\` and \`/\`.`,
    { code: 'invalid-branch' },
  );
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, MAX_SLUG_CHARS)
    .replaceAll(/^-+|-+$/gu, '');
}
