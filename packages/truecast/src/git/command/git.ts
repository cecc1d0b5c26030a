/**
 * Git execution on the host: its environment, its timeout, and the configuration that it must
 * ignore.
 */
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { openUnlinkedFile } from '../../process/unlinked-file.ts';
import { hostSearchPath } from '../../support/search-path.ts';
import { spawnCommand, type SpawnCommandOptions } from '../../process/spawn-command.ts';
import { failedCall } from './git-failure.ts';
import { isWorktreeRace, RACE_PAUSE_MS, RACE_TRIES } from './worktree-race.ts';

/** The directories of one checkout, each absolute. */
export interface GitPaths {
  /** The checkout's own git directory. */
  readonly gitDir: string;
  /** The git directory that all checkouts of the repository share. */
  readonly commonDir: string;
  readonly workTree: string;
}

/** Limit of a git command that no option sets, in milliseconds: a busy machine or a large repository needs seconds. */
export const GIT_TIMEOUT_MS = 60_000;

/** Limits of every git call. */
export interface GitCallOptions {
  readonly timeoutMs: number;
  /** Kills git. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface GitOptions extends GitCallOptions {
  /** Start folder of git. Git searches for a repository there, unless `paths` names one. */
  readonly cwd: string;
  /** Names the checkout explicitly, so that no file of a guest determines it. */
  readonly paths?: GitPaths | undefined;
  /** `key=value` pairs of configuration that take precedence over every file. */
  readonly config?: readonly string[] | undefined;
  /**
   * Text for git's stdin. With a promise, git starts at once, and its timeout starts when the text
   * is there.
   * @default none
   */
  readonly input?: string | Promise<string> | undefined;
  /**
   * Limit of the memory that git and each program that it starts can allocate. Not enforced on
   * Windows and macOS. @default none
   */
  readonly maxMemoryBytes?: number | undefined;
  /**
   * Limit of each file that git writes, rounded up to 512 bytes. Git ends when it reaches the limit. Not enforced
   * on Windows. @default none
   */
  readonly maxFileBytes?: number | undefined;
  /** Separate index file that replaces the checkout's. */
  readonly indexFile?: string | undefined;
  /** Variables of this call alone. @default none */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Called with git's process id when it has started. */
  readonly onSpawn?: ((pid: number) => void) | undefined;
  /** Objects are written to `folder`, and looked up there before the repository. */
  readonly objects?: { readonly folder: string; readonly alternate: string } | undefined;
}

export interface GitResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

type ProgramCall = Required<Pick<SpawnCommandOptions, 'file' | 'args' | 'env'>>;

/** Hooks folder of every call. It contains no hooks. */
export const NO_HOOKS_PATH = '/dev/null';

/**
 * Overrides of every call. Each of these keys can name a program, and a guest can have written the
 * file that sets it. `protocol.allow=never` stops submodule and lazy object fetches; only `fetch`
 * and `push` override it.
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

/**
 * Variables that git sets for its own hooks and aliases. If inherited, they would redirect these
 * calls to another repository.
 */
const INHERITED_VARIABLES: ReadonlySet<string> = new Set([
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
]);

const MAX_STDERR_BYTES = 16 * 1024 * 1024;

/**
 * Runs git and returns its result. A non-zero exit is a result. A call that another process's change of a worktree
 * broke is tried again.
 *
 * Git's stderr, and that of its filters, is a file. If this process is killed, git therefore
 * completes the checkout that it writes.
 *
 * Git runs in a separate process group. Programs that it started (ssh, a filter) end with it, and
 * Ctrl+C on the terminal does not interrupt a merge.
 *
 * @throws RepositoryError `timeout`, `git-failed` if git cannot be started; the signal's reason
 */
export async function git(args: readonly string[], options: GitOptions): Promise<GitResult> {
  for (let tries = 1; ; tries += 1) {
    const result = await runOnce(args, options);
    if (tries === RACE_TRIES || !isWorktreeRace(args, result)) return result;
    await sleep(RACE_PAUSE_MS, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
}

async function runOnce(args: readonly string[], options: GitOptions): Promise<GitResult> {
  const { cwd, timeoutMs, signal, input, onSpawn } = options;
  signal?.throwIfAborted();
  const errors = openUnlinkedFile();
  const timeout = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  const startTimer = (): void => {
    if (!hasEnded) timer = setTimeout(() => timeout.abort(timeoutError(args, timeoutMs)), timeoutMs);
  };
  if (input instanceof Promise) input.then(startTimer, startTimer);
  else startTimer();
  try {
    const { stdout, stderr, exitCode, isOutputCut } = await spawnCommand({
      ...programOf(args, options),
      cwd,
      onSpawn,
      stderrFile: errors?.descriptor,
      signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
      // A pipe takes time, and an error with a stack if git has exited before its end is written.
      ...(input === undefined ? { stdinFile: 'ignore' } : { stdin: input }),
    });
    if (isOutputCut) throw cannotRun(args, 'its output exceeds the limit', undefined);
    return { stdout, stderr: errors?.read(MAX_STDERR_BYTES) ?? stderr, exitCode };
  } catch (error) {
    if (SandboxError.isInstance(error)) throw cannotRun(args, error.message, error);
    throw error;
  } finally {
    hasEnded = true;
    clearTimeout(timer);
    errors?.close();
  }
}

/** Returns the program of a call, for a caller that starts git itself. A shell sets the limit. */
export function programOf(args: readonly string[], options: GitOptions): ProgramCall {
  const call = gitCommand(args, options);
  const limit = process.platform === 'win32' ? '' : `${memoryLimit(options)}${fileLimit(options)}`;
  if (limit === '') return { file: 'git', ...call };
  return { file: '/bin/sh', args: ['-c', `${limit}exec git "$@"`, 'sh', ...call.args], env: call.env };
}

/** Returns the arguments and the environment of a call, for a shell that starts git. */
export function gitCommand(
  args: readonly string[],
  options: GitOptions,
): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  return { args: commandLine(args, options), env: environment(options) };
}

/** Returns the shell command that limits the memory of a call. A lower limit of the host is kept. */
export function memoryLimit({ maxMemoryBytes: limit }: Pick<GitOptions, 'maxMemoryBytes'>): string {
  return limit === undefined ? '' : `ulimit -d ${Math.ceil(limit / 1024)} 2>/dev/null; `;
}

/** The signal at the limit would leave the memory of git as a file. */
function fileLimit({ maxFileBytes: limit }: Pick<GitOptions, 'maxFileBytes'>): string {
  return limit === undefined ? '' : `ulimit -c 0; ulimit -f ${Math.ceil(limit / 512)} 2>/dev/null; `;
}

/** Creates the error of a git call that took too long. */
export function timeoutError(args: readonly string[], timeoutMs: number): RepositoryError {
  return new RepositoryError(
    `Expected \`git ${args[0] ?? ''}\` to exit within ${timeoutMs} ms, but it did not. Raise its limit in \`timeouts\`, or check which process blocks the repository.`,
    { code: 'timeout' },
  );
}

/**
 * Runs git and returns its stdout.
 *
 * @throws RepositoryError `git-failed` or `disk-full` for a non-zero exit, and the errors of `git()`
 */
export async function gitOutput(args: readonly string[], options: GitOptions): Promise<string> {
  const result = await git(args, options);
  if (result.exitCode !== 0) throw gitFailed(args, result, options.cwd);
  return result.stdout;
}

/** Creates the error of a git call that failed for an unexpected reason. */
export function gitFailed(args: readonly string[], result: GitResult, cwd: string): RepositoryError {
  const said = cut(result.stderr.trim().replace(/\.$/u, ''));
  return failedCall(
    `\`git ${cut(args.join(' '))}\` failed with exit code ${result.exitCode}: ${said}.`,
    `Run it in \`${cwd}\` to see more.`,
    result,
  );
}

function cannotRun(args: readonly string[], message: string, cause: unknown): RepositoryError {
  return new RepositoryError(
    `\`git ${args[0] ?? ''}\` could not be run: ${cut(message)} Install git, or put it on the PATH.`,
    { code: 'git-failed', cause },
  );
}

function commandLine(args: readonly string[], { paths, config = [] }: GitOptions): string[] {
  const isNetworkCall = args[0] === 'fetch' || args[0] === 'push';
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

function environment({ cwd, paths, indexFile, objects, env }: GitOptions): Record<string, string> {
  // One look at each variable: it costs a microsecond, and a run starts a dozen gits.
  const inherited: Record<string, string> = {};
  for (const name of Object.keys(process.env)) {
    const value = INHERITED_VARIABLES.has(name) ? undefined : process.env[name];
    if (value !== undefined) inherited[name] = value;
  }
  return {
    ...inherited,
    PATH: hostSearchPath([cwd, ...foldersOf(paths)]),
    LC_ALL: 'C',
    LANGUAGE: 'C',
    GIT_TERMINAL_PROMPT: '0',
    // A status call must not hold the index lock while an agent or a user commits.
    GIT_OPTIONAL_LOCKS: '0',
    // Git prints progress of long checkouts even with `--quiet`. In seconds.
    GIT_PROGRESS_DELAY: '1000000000',
    GIT_ASKPASS: 'true',
    SSH_ASKPASS: 'true',
    GIT_EDITOR: 'true',
    GIT_MERGE_AUTOEDIT: 'no',
    GIT_NO_LAZY_FETCH: '1',
    ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }),
    ...(objects !== undefined && {
      GIT_OBJECT_DIRECTORY: objects.folder,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quotePath(objects.alternate),
    }),
    ...env,
  };
}

/** Git splits the list of alternates at colons, and accepts a quoted path unchanged. */
function quotePath(path: string): string {
  return `"${path.replaceAll(/[\\"]/gu, String.raw`\$&`)}"`;
}

function foldersOf(paths: GitPaths | undefined): string[] {
  return paths === undefined ? [] : [paths.workTree, dirname(paths.commonDir)];
}
