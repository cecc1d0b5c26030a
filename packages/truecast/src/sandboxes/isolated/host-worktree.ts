/** Git access to the host's worktree of an isolated sandbox. */
import { git, gitOutput, type GitOptions, type GitPaths, type GitResult } from '../../git/command/git.ts';
import { listConfig } from '../../git/command/config-entries.ts';
import { judgeConfig } from '../../git/repository/trusted-config.ts';
import type { SandboxCreateOptions } from '../../ports/sandbox-provider.ts';

/** Timeout of one git call. A bundle of a large history takes long. */
const GIT_TIMEOUT_MS = 300_000;

/** A host worktree whose work happens in an isolated sandbox. */
export interface HostWorktree {
  readonly paths: GitPaths;
  /** Top folder of the main checkout. */
  readonly repositoryPath: string;
  /**
   * Configuration overrides that keep the user's filters and disable those that could run a guest's
   * programs.
   */
  readonly hostFilters: readonly string[];
}

export type HostGitOptions = Partial<
  Pick<GitOptions, 'input' | 'indexFile' | 'config' | 'signal' | 'maxMemoryBytes'>
>;

export async function openHostWorktree(options: SandboxCreateOptions): Promise<HostWorktree> {
  const { worktreePath, hostRepoPath } = options;
  const entries = await listConfig({ cwd: hostRepoPath, timeoutMs: GIT_TIMEOUT_MS });
  const [gitDir, commonDir] =
    options.git === undefined
      ? await findDirectories(worktreePath)
      : [options.git.gitDir, options.git.commonDir];
  const directories = { topLevel: hostRepoPath, otherTopLevels: [worktreePath], gitDir, commonDir };
  return {
    paths: { gitDir, commonDir, workTree: worktreePath },
    repositoryPath: hostRepoPath,
    hostFilters: judgeConfig(entries, directories, true).hostFilters,
  };
}

async function findDirectories(worktreePath: string): Promise<readonly [string, string]> {
  const args = ['rev-parse', '--path-format=absolute', '--absolute-git-dir', '--git-common-dir'];
  const [gitDir = '', commonDir = ''] = (
    await gitOutput(args, { cwd: worktreePath, timeoutMs: GIT_TIMEOUT_MS })
  ).split('\n');
  return [gitDir, commonDir];
}

/** Runs git on the worktree. A non-zero exit code is returned, not thrown. */
export function tryGit(
  host: HostWorktree,
  args: readonly string[],
  options?: HostGitOptions,
): Promise<GitResult> {
  return git(args, callOf(host, options));
}

/**
 * Runs git on the worktree and returns its stdout without the last newline.
 *
 * @throws RepositoryError
 */
export async function runGit(
  host: HostWorktree,
  args: readonly string[],
  options?: HostGitOptions,
): Promise<string> {
  return (await gitOutput(args, callOf(host, options))).replace(/\n$/u, '');
}

export function callOf(
  { paths, hostFilters }: HostWorktree,
  { config = [], ...options }: HostGitOptions = {},
): GitOptions {
  return {
    timeoutMs: GIT_TIMEOUT_MS,
    ...options,
    cwd: paths.workTree,
    paths,
    config: [...hostFilters, ...config],
  };
}

/** Returns the object id of a reference or an expression, or undefined. */
export async function resolveObject(host: HostWorktree, expression: string): Promise<string | undefined> {
  const found = await tryGit(host, ['rev-parse', '--verify', '--quiet', '--end-of-options', expression]);
  return found.exitCode === 0 ? found.stdout.trim() : undefined;
}

/** Author of carrier commits, which never become part of a branch. */
export const CARRIER_IDENTITY: readonly string[] = [
  'user.name=Truecast',
  'user.email=truecast@localhost',
  'commit.gpgSign=false',
];
