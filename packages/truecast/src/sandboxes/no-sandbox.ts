/** `noSandbox()`: runs commands on the host itself. Callers must request it by name. */
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { copyFile, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { randomUUID } from 'node:crypto';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { markedTree } from '../process/process-tree.ts';
import { createRunningCommands } from '../process/running-commands.ts';
import { spawnCommand, type SpawnCommandOptions, type SpawnCommandResult } from '../process/spawn-command.ts';
import { openUnlinkedFile, type UnlinkedFile } from '../process/unlinked-file.ts';
import type { OwnExecOptions } from '../ports/own-git.ts';
import type { NoSandboxProvider, SandboxCreateOptions, SandboxHandle } from '../ports/sandbox-provider.ts';
import { assertTailChars } from './shared/output-tail.ts';
import { runInteractively } from './shared/run-interactively.ts';

/** Options of `noSandbox()`. */
export interface NoSandboxOptions {
  /** Environment of every command, on top of the host's. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Kept tail of a command's output whose lines were sent to a listener, in UTF-16 units of each
   * stream.
   * @default 65536
   */
  readonly maxOutputTailChars?: number;
}

/**
 * Set by git for its hooks. With one of these, a command would work on that repository instead of
 * its worktree.
 */
const GIT_LOCATION_NAMES: ReadonlySet<string> = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_PREFIX',
]);

const NO_SANDBOX_OPTIONS: OptionNames<NoSandboxOptions> = {
  env: true,
  maxOutputTailChars: true,
};

/**
 * Runs commands on the host, in the worktree, with the host's environment and full permissions.
 * Nothing is isolated.
 *
 * Each command is a separate process group, which is killed as a whole. On Linux an abort also
 * reaches processes that left the group.
 *
 * @throws UsageError if an option is invalid
 *
 * @example
 * ```ts
 * const sandbox = noSandbox({ env: { CI: 'true' } });
 * ```
 */
export function noSandbox(options: NoSandboxOptions = {}): NoSandboxProvider {
  assertKnownOptions(options, { of: '`noSandbox()`', names: NO_SANDBOX_OPTIONS });
  const { maxOutputTailChars } = options;
  assertTailChars(maxOutputTailChars);
  const env = { ...options.env };
  const tail = maxOutputTailChars === undefined ? {} : { maxTailChars: maxOutputTailChars };
  return {
    name: 'no-sandbox',
    tag: 'none',
    env,
    create: (created) => Promise.resolve(createHandle(created, env, tail)),
  };
}

function createHandle(
  created: SandboxCreateOptions,
  env: Readonly<Record<string, string>>,
  tail: { readonly maxTailChars?: number },
): SandboxHandle {
  const commands = createRunningCommands('no-sandbox', () => Promise.resolve());
  const environment = { ...hostEnvironment(), ...env, ...created.env };
  const inWorktree = (path: string): string => resolve(created.worktreePath, path);
  return {
    worktreePath: created.worktreePath,
    homePath: homedir(),
    streamsChunks: true,
    egress: 'host',
    exec: (command, options: OwnExecOptions = {}) =>
      commands.run(
        (signal) =>
          runShell(
            command,
            { ...options, ...tail, signal, cwd: inWorktree(options.cwd ?? '.') },
            environment,
          ),
        options.signal,
      ),
    interactiveExec: (args, { cwd = '.', env, signal: callerSignal, ...streams }) =>
      commands.run((signal) => {
        const [file = '', ...rest] = args;
        return runInteractively({
          file,
          args: rest,
          cwd: inWorktree(cwd),
          env: { ...environment, ...env },
          signal,
          ...streams,
        });
      }, callerSignal),
    copyFileIn: (from, to) => copyOnHost(from, inWorktree(to)),
    copyFileOut: (from, to) => copyOnHost(inWorktree(from), to),
    close: () => commands.close(),
  };
}

type ShellOptions = OwnExecOptions & { readonly cwd: string; readonly maxTailChars?: number };

async function runShell(
  command: string,
  { onHostProcess, ...options }: ShellOptions,
  environment: Readonly<Record<string, string>>,
): Promise<SpawnCommandResult> {
  const id = randomUUID();
  const marker = `TRUECAST_COMMAND_ID=${id}`;
  const isWindows = process.platform === 'win32';
  const onStart = onHostProcess && ((pid: number) => onHostProcess({ pid, marker }));
  const input = onStart === undefined ? undefined : openUnlinkedFile(options.stdin);
  try {
    return await spawnCommand({
      ...options,
      env: { ...environment, ...options.env, TRUECAST_COMMAND_ID: id },
      file: isWindows ? 'cmd.exe' : '/bin/sh',
      args: isWindows ? ['/d', '/s', '/c', `"${command}"`] : ['-c', input ? `${GATE}${command}` : command],
      isVerbatim: isWindows,
      makeTree: (pid) => markedTree(pid, marker),
      ...(input === undefined ? { onSpawn: onStart } : gated(input, onStart)),
    });
  } finally {
    input?.close();
  }
}

/** Waits until the host has recorded the process. A host that was killed before breaks the pipe. */
const GATE = 'read -r TRUECAST_GATE <&3 || exit 125\nexec 3<&-\nunset TRUECAST_GATE\n';

/** Without a sandbox, an agent outlives the host. It starts only with a record and the whole prompt. */
function gated(
  { descriptor }: UnlinkedFile,
  onStart: ((pid: number) => void) | undefined,
): Pick<SpawnCommandOptions, 'stdinFile' | 'pipedText' | 'beforePipedText'> {
  return {
    stdinFile: descriptor,
    pipedText: 'start\n',
    beforePipedText: async (pid) => onStart?.(pid),
  };
}

function hostEnvironment(): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !GIT_LOCATION_NAMES.has(name)) environment[name] = value;
  }
  return environment;
}

async function copyOnHost(from: string, to: string): Promise<void> {
  try {
    await mkdir(dirname(to), { recursive: true });
    await copyFile(from, to);
  } catch (cause) {
    const message = `Cannot copy \`${from}\` to \`${to}\`. Check that the source is a file and that the target is writable.`;
    throw new SandboxError(message, { code: 'copy', cause });
  }
}
