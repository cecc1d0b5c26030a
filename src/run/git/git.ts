/** Owns how git is started on the host: which environment it sees, which configuration it must not follow, how long it may take. */
import { cut } from '../../errors/describe-value.ts';
import { RepositoryError } from '../../errors/repository-error.ts';
import { SandboxError } from '../../errors/sandbox-error.ts';
import { spawnCommand } from '../process/spawn-command.ts';

/** The directories of one checkout, each absolute. */
export interface GitPaths {
  /** The checkout's own git directory. */
  readonly gitDir: string;
  /** The git directory that all checkouts of the repository share. */
  readonly commonDir: string;
  readonly workTree: string;
}

/** Bounds of every call of git. */
export interface GitCallOptions {
  readonly timeoutMs: number;
  /** Kills git; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** How git is called. */
export interface GitOptions extends GitCallOptions {
  /** Where git starts: it looks for a repository there, unless `paths` names one. */
  readonly cwd: string;
  /** Names the checkout outright, so that nothing that a guest wrote decides which one it is. */
  readonly paths?: GitPaths | undefined;
  /** `key=value` pairs of configuration that win over every file. */
  readonly config?: readonly string[] | undefined;
  /** Is written to git's stdin. @default none */
  readonly input?: string | undefined;
  /** An index of one's own, in the place of the checkout's. */
  readonly indexFile?: string | undefined;
}

/** How a call of git ended. */
export interface GitResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Where every call looks for hooks: there are none. */
export const NO_HOOKS_PATH = '/dev/null';

/**
 * What every call overrides: each of these keys can name a program, and a guest may have written the file that sets it.
 * `protocol.allow=never` stops submodule and lazy object fetches; only `fetch` lifts it.
 */
const NEUTRAL_CONFIG: readonly string[] = [
  'core.fsmonitor=false',
  `core.hooksPath=${NO_HOOKS_PATH}`,
  'core.untrackedCache=false',
  'core.editor=true',
  'core.pager=cat',
  'credential.helper=',
  'diff.external=',
  'submodule.recurse=false',
  'rerere.enabled=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'branch.autoSetupMerge=false',
  'push.autoSetupRemote=false',
  'safe.directory=*',
];

/** What git sets for its own hooks and aliases: inherited, it would point our calls at another repository. */
const INHERITED_VARIABLES: readonly string[] = [
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_CONFIG',
  'GIT_CONFIG_PARAMETERS',
  'GIT_DIR',
  'GIT_EXTERNAL_DIFF',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_QUARANTINE_PATH',
  'GIT_REPLACE_REF_BASE',
  'GIT_SHALLOW_FILE',
  'GIT_TRACE',
  'GIT_WORK_TREE',
];

/**
 * Runs git and returns how it ended; a non-zero exit is a result.
 *
 * In a process group of its own: what git started (ssh, a filter) ends with it, and Ctrl+C on the terminal does not cut a merge in two.
 *
 * @throws RepositoryError `timeout`, `git-failed` when git cannot be started; the signal's reason
 */
export async function git(args: readonly string[], options: GitOptions): Promise<GitResult> {
  const { cwd, timeoutMs, signal, input } = options;
  signal?.throwIfAborted();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(timeoutError(args, timeoutMs)), timeoutMs);
  try {
    const { stdout, stderr, exitCode, isOutputCut } = await spawnCommand({
      file: 'git',
      args: commandLine(args, options),
      cwd,
      env: environment(options.indexFile),
      signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
      ...(input !== undefined && { stdin: input }),
    });
    if (isOutputCut) throw cannotRun(args, 'it printed more than can be read', undefined);
    return { stdout, stderr, exitCode };
  } catch (error) {
    if (SandboxError.isInstance(error)) throw cannotRun(args, error.message, error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function timeoutError(args: readonly string[], timeoutMs: number): RepositoryError {
  return new RepositoryError(
    `Expected \`git ${args[0] ?? ''}\` to end within ${timeoutMs} ms, and it did not. Give it more time with \`timeouts\`, or look what holds the repository.`,
    { code: 'timeout' },
  );
}

/**
 * Runs git and returns its stdout.
 *
 * @throws RepositoryError `git-failed` for a non-zero exit, and what `git()` throws
 */
export async function gitOutput(args: readonly string[], options: GitOptions): Promise<string> {
  const result = await git(args, options);
  if (result.exitCode !== 0) throw gitFailed(args, result, options.cwd);
  return result.stdout;
}

/** Makes the error for a call of git that failed for a reason that no caller expects. */
export function gitFailed(args: readonly string[], result: GitResult, cwd: string): RepositoryError {
  return new RepositoryError(
    `\`git ${cut(args.join(' '))}\` failed with exit code ${result.exitCode}: ${cut(result.stderr.trim().replace(/\.$/u, ''))}. Run it in \`${cwd}\` to see more.`,
    { code: 'git-failed', exitCode: result.exitCode, stderrTail: result.stderr.slice(-2_000) },
  );
}

function cannotRun(args: readonly string[], message: string, cause: unknown): RepositoryError {
  return new RepositoryError(
    `\`git ${args[0] ?? ''}\` could not be run: ${cut(message)} Install git, or put it on the PATH.`,
    { code: 'git-failed', cause },
  );
}

function commandLine(args: readonly string[], { paths, config = [] }: GitOptions): string[] {
  const isNetworkCall = args[0] === 'fetch';
  const neutral = isNetworkCall
    ? NEUTRAL_CONFIG.filter((entry) => entry !== 'credential.helper=')
    : [...NEUTRAL_CONFIG, 'protocol.allow=never'];
  return [
    ...(paths === undefined ? [] : [`--git-dir=${paths.gitDir}`, `--work-tree=${paths.workTree}`]),
    '--no-pager',
    '--literal-pathspecs',
    ...[...neutral, ...config].flatMap((entry) => ['-c', entry]),
    ...args,
  ];
}

function environment(indexFile: string | undefined): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !INHERITED_VARIABLES.includes(entry[0]),
  );
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: 'C',
    LANGUAGE: 'C',
    GIT_TERMINAL_PROMPT: '0',
    // A status must not take the index lock from under an agent or a user who commits at the same moment.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ASKPASS: 'true',
    SSH_ASKPASS: 'true',
    GIT_EDITOR: 'true',
    GIT_MERGE_AUTOEDIT: 'no',
    GIT_NO_LAZY_FETCH: '1',
    ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }),
  };
}
