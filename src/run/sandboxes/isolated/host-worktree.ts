/** Owns how the host's side of an isolated sandbox is seen by git. */
import { git, gitOutput, type GitOptions, type GitPaths, type GitResult } from '../../git/git.ts';
import { readTrustedConfig } from '../../git/trusted-config.ts';
import type { SandboxCreateOptions } from '../sandbox-provider.ts';

/** Bound of one call of git: a bundle of a large history takes its time. */
const GIT_TIMEOUT_MS = 300_000;

/** The worktree on the host whose work is done elsewhere. */
export interface HostWorktree {
  readonly paths: GitPaths;
  /** Top folder of the main checkout. */
  readonly repositoryPath: string;
  /** Overrides that turn off filters, which could be a guest's own programs. */
  readonly neutralFilters: readonly string[];
}

/** What a call of git on the host may be given. */
export type HostGitOptions = Partial<Pick<GitOptions, 'input' | 'indexFile' | 'config' | 'signal'>>;

/** Looks at the worktree that a sandbox is made for. */
export async function openHostWorktree(options: SandboxCreateOptions): Promise<HostWorktree> {
  const { worktreePath, hostRepoPath } = options;
  const { neutralFilters } = await readTrustedConfig({ cwd: hostRepoPath, timeoutMs: GIT_TIMEOUT_MS });
  const [gitDir, commonDir] =
    options.git === undefined
      ? await findDirectories(worktreePath)
      : [options.git.gitDir, options.git.commonDir];
  return {
    paths: { gitDir, commonDir, workTree: worktreePath },
    repositoryPath: hostRepoPath,
    neutralFilters,
  };
}

async function findDirectories(worktreePath: string): Promise<readonly [string, string]> {
  const args = ['rev-parse', '--path-format=absolute', '--absolute-git-dir', '--git-common-dir'];
  const [gitDir = '', commonDir = ''] = (
    await gitOutput(args, { cwd: worktreePath, timeoutMs: GIT_TIMEOUT_MS })
  ).split('\n');
  return [gitDir, commonDir];
}

/** Runs git on the worktree; a non-zero exit is a result. */
export function tryGit(
  { paths, neutralFilters }: HostWorktree,
  args: readonly string[],
  { config = [], ...options }: HostGitOptions = {},
): Promise<GitResult> {
  return git(args, {
    timeoutMs: GIT_TIMEOUT_MS,
    ...options,
    cwd: paths.workTree,
    paths,
    config: [...neutralFilters, ...config],
  });
}

/**
 * Runs git on the worktree and returns its stdout without the last newline.
 *
 * @throws RepositoryError
 */
export async function runGit(
  { paths, neutralFilters }: HostWorktree,
  args: readonly string[],
  { config = [], ...options }: HostGitOptions = {},
): Promise<string> {
  const stdout = await gitOutput(args, {
    timeoutMs: GIT_TIMEOUT_MS,
    ...options,
    cwd: paths.workTree,
    paths,
    config: [...neutralFilters, ...config],
  });
  return stdout.replace(/\n$/u, '');
}

/** Returns what a reference or an expression names, or undefined. */
export async function resolveObject(host: HostWorktree, expression: string): Promise<string | undefined> {
  const found = await tryGit(host, ['rev-parse', '--verify', '--quiet', '--end-of-options', expression]);
  return found.exitCode === 0 ? found.stdout.trim() : undefined;
}

/** Who made the commits that only carry files; they never become part of a branch. */
export const CARRIER_IDENTITY: readonly string[] = [
  'user.name=Truecast',
  'user.email=truecast@localhost',
  'commit.gpgSign=false',
];
