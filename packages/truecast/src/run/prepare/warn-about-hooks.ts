/** Warning about git hooks that a worktree lacks, because git does not carry their files there. */
import { readdir } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import { quoteArgument } from '../../support/shell-quote.ts';

/**
 * Warns if `core.hooksPath` is in the checkout, and files of that folder are missing in the worktree.
 * Husky generates such files, and git ignores them. Call it after the caller's hooks.
 */
export async function warnAboutHooks(
  { path, strategy, repository }: LockedWorktree,
  warn: (message: string) => void,
): Promise<void> {
  if (strategy.type === 'head') return;
  const { relativeHooksPath } = await repository.trustedConfig();
  if (relativeHooksPath === undefined) return;
  const folder = normalize(relativeHooksPath).replace(/\/$/u, '');
  const missing = await findMissing(folder, { from: repository.topLevel, to: path });
  if (missing === undefined) return;
  const copy = `mkdir -p ${quoteArgument(dirname(missing))} && cp -R ${quoteArgument(join(repository.topLevel, missing))} ${quoteArgument(`${dirname(missing)}/`)}`;
  warn(
    `hooks: \`core.hooksPath\` is \`${cut(relativeHooksPath)}\`, and the worktree has no \`${cut(missing)}\`, because git does not track it. The agent's commits skip these hooks, or fail. To create it, add the command that generates it, or \`${copy}\`, to \`host.onWorktreeReady\`.`,
  );
}

interface Folders {
  readonly from: string;
  readonly to: string;
}

/** Returns the first path that is in the checkout only: the folder, one of its folders, or a hook. */
async function findMissing(folder: string, { from, to }: Folders): Promise<string | undefined> {
  const [there, here] = await Promise.all([list(join(from, folder)), list(join(to, folder))]);
  const isUsed = (name: string, isFolder: boolean): boolean => isFolder || HOOKS.has(name);
  const wanted = [...there].filter(([name, isFolder]) => isUsed(name, isFolder)).map(([name]) => name);
  if (wanted.length === 0) return undefined;
  if (here.size === 0) return folder;
  const absent = wanted.find((name) => !here.has(name));
  return absent === undefined ? undefined : join(folder, absent);
}

/** Names in a folder, and whether each is a folder. Empty without one. */
async function list(folder: string): Promise<ReadonlyMap<string, boolean>> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return new Map(entries.map((entry) => [entry.name, entry.isDirectory()]));
}

/** Hooks that run when an agent commits, merges, rebases or switches branches. */
const HOOKS: ReadonlySet<string> = new Set([
  'applypatch-msg',
  'commit-msg',
  'post-checkout',
  'post-commit',
  'post-merge',
  'post-rewrite',
  'pre-applypatch',
  'pre-commit',
  'pre-merge-commit',
  'pre-push',
  'pre-rebase',
  'prepare-commit-msg',
]);
