/**
 * Throwaway repositories for this folder's tests: real git, in a temporary folder, without the
 * user's configuration.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { withoutGit } from './test-shortcuts.ts';
import { repositoryTemplate } from './test-template.ts';
import { openRepository, type Repository } from './repository/repository.ts';
import { lockWorktree, type LockWorktreeOptions, type LockedWorktree } from './worktree/worktree.ts';

/** Enough for a busy machine. No test waits for it. */
export const CALL: { readonly timeoutMs: number } = { timeoutMs: 30_000 };

const folders: string[] = [];

/** Creates an empty temporary folder. `cleanUp` removes it. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-git-')));
  folders.push(folder);
  return folder;
}

/** Removes every created folder. */
export function cleanUp(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Runs plain git like a user, and returns its stdout without the last newline. Some of it takes no process:
 * `withoutGit`.
 */
export function plainGit(cwd: string, ...args: string[]): string {
  const known = withoutGit(cwd, args);
  if (known !== undefined) return known;
  const isolated = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@localhost',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@localhost',
  };
  return execFileSync('git', args, {
    cwd,
    env: isolated,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).replace(/\n$/u, '');
}

/** Creates a repository without a commit. */
export function emptyRepository(name = 'repo'): string {
  const copy = join(temporaryFolder(), name);
  copyEmpty(copy);
  return copy;
}

const copyEmpty = repositoryTemplate(initialize);

function initialize(path: string): void {
  plainGit(path, 'init', '--quiet', '--initial-branch=main');
  plainGit(path, 'config', 'user.name', 'Test');
  plainGit(path, 'config', 'user.email', 'test@localhost');
}

/** Creates a repository with one commit that contains `a.txt`. */
export function newRepository(name = 'repo'): string {
  const copy = join(temporaryFolder(), name);
  copyOneCommit(copy);
  return copy;
}

const copyOneCommit = repositoryTemplate((path) => {
  initialize(path);
  commit(path, 'a.txt', 'one\n');
});

export function writeIn(root: string, file: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), content, { mode });
}

/** Writes and commits a file, and returns the commit. */
export function commit(root: string, file: string, content: string): string {
  writeIn(root, file, content);
  plainGit(root, 'add', '--', file);
  plainGit(root, 'commit', '--quiet', '-m', `change ${file}`);
  return plainGit(root, 'rev-parse', 'HEAD');
}

/** Opens a repository for a test. */
export function open(path: string): Promise<Repository> {
  return openRepository(path, CALL);
}

/** Creates a worktree for a test. Warnings are pushed to `warnings`. */
export async function place(
  path: string,
  options: Partial<LockWorktreeOptions> = {},
  warnings: string[] = [],
): Promise<LockedWorktree> {
  return lockWorktree({
    repository: await open(path),
    branchStrategy: { type: 'merge-to-head' },
    command: 'test',
    now: new Date(2026, 0, 2, 3, 4, 5),
    onWarning: (message) => warnings.push(message),
    ...CALL,
    ...options,
  });
}
