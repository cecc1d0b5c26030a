/**
 * One command in a bubblewrap sandbox: its arguments, its environment, and the distinction between
 * its failures and those of bubblewrap.
 */
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { spawnCommand, type SpawnCommandResult } from '../../process/spawn-command.ts';
import { bubblewrapArguments, ownFolderBinds, type CommandBinds } from './arguments.ts';
import type { ResolvedMount } from '../shared/mounts.ts';
import { underLimits, type GuestCommand } from './limits.ts';
import { openSources } from './mount-sources.ts';
import { bubblewrapTree, createBubblewrapStatus } from './tree.ts';
import type { PreparedBubblewrap } from './prepare-bubblewrap.ts';
import { runInteractively, type RunInteractivelyOptions } from '../shared/run-interactively.ts';
import type { SandboxExecOptions } from '../../ports/sandbox-provider.ts';

/**
 * The dynamic loader applies these to bubblewrap itself, outside of the sandbox. A guest that can
 * write the project's `.env` would run code there. They contain no secrets, so they can be part of
 * the command line.
 */
const LOADER_NAME = /^(LD_|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$)/;

export interface BubblewrapCommandOptions extends SandboxExecOptions {
  readonly cwd: string;
  /** Called when bubblewrap has its arguments and sets up the sandbox. */
  readonly onStart: () => void;
}

/**
 * Runs one command for `sh -c`.
 *
 * @throws SandboxError `exec` if bubblewrap could not set the sandbox up
 */
export async function runInBubblewrap(
  prepared: PreparedBubblewrap,
  command: string,
  options: BubblewrapCommandOptions,
): Promise<SpawnCommandResult> {
  const status = createBubblewrapStatus();
  // Nothing is awaited between here and the start, which closes the open sources.
  options.signal?.throwIfAborted();
  const call = buildCall(
    prepared,
    { type: 'line', line: command },
    {
      ...options,
      mounts: prepared.layout.mounts,
      layOut: (binds) => bubblewrapArguments(prepared.layout, options.cwd, binds),
      flags: ['--json-status-fd', '3'],
      firstDescriptor: 4,
    },
  );
  const result = await spawnCommand({
    ...options,
    ...call,
    cwd: '/',
    onStatus(chunk) {
      if (status.firstPid === undefined) options.onStart();
      status.push(chunk);
    },
    makeTree: (pid) => bubblewrapTree(pid, status),
  });
  // A signal that killed bubblewrap itself leaves no exit code either, but is not a failed start.
  if (status.hasExitCode || result.exitCode > 128) return result;
  throw new SandboxError(
    `bubblewrap could not start the command: ${firstLine(result.stderr)}. Run \`truecast doctor\`.`,
    {
      code: 'exec',
      exitCode: result.exitCode,
      stderrTail: result.stderr,
    },
  );
}

/** Runs a program on the caller's terminal, as the agent. */
export async function runInteractivelyInBubblewrap(
  prepared: PreparedBubblewrap,
  args: readonly string[],
  options: Omit<RunInteractivelyOptions, 'file' | 'args' | 'env'> & Pick<SandboxExecOptions, 'env'>,
): Promise<{ readonly exitCode: number }> {
  const { cwd, env, signal } = options;
  signal.throwIfAborted();
  const call = buildCall(
    prepared,
    { type: 'program', args },
    {
      mounts: prepared.layout.mounts,
      layOut: (binds) => bubblewrapArguments(prepared.layout, cwd, binds),
      isAgent: true,
      flags: [],
      firstDescriptor: 3,
      ...(env !== undefined && { env }),
    },
  );
  return runInteractively({ ...options, ...call, cwd: '/' });
}

/** Inputs to start bubblewrap. */
export interface BubblewrapCall {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly inheritedFile?: string;
  /** Sources of mounts. */
  readonly inheritedDescriptors: readonly number[];
  /** Closes the sources in this process. Call it when bubblewrap has started. */
  readonly afterStart: () => void;
  /**
   * Sent through a pipe, because these arguments contain host paths and the guest can read the
   * command line of its first process.
   */
  readonly pipedText: string;
  /** Puts bubblewrap into the sandbox's control group. It starts nothing before it has read `pipedText`. */
  readonly beforePipedText?: (pid: number) => Promise<void>;
}

interface CallOptions extends Pick<SandboxExecOptions, 'env' | 'isAgent'> {
  /** True for a command that never gets a network connection. @default false */
  readonly isOffline?: boolean;
  /** Mounts of the layout. */
  readonly mounts: readonly ResolvedMount[];
  /** Returns bubblewrap's arguments. */
  readonly layOut: (binds: CommandBinds) => readonly string[];
  readonly flags: readonly string[];
  /** Descriptor of the system call filter. The next one passes the arguments. */
  readonly firstDescriptor: number;
}

/**
 * Returns the bubblewrap call for one command.
 *
 * @throws RepositoryError `unsafe-path` if the source of a mount leads out of its root
 */
export function buildCall(
  prepared: PreparedBubblewrap,
  command: GuestCommand,
  { layOut, mounts, flags, firstDescriptor, env = {}, isAgent = false, isOffline = false }: CallOptions,
): BubblewrapCall {
  const { egress, bubblewrap, layout, group } = prepared;
  const { binds, forwarder, environment } = isOffline ? OFFLINE : egress.inside(isAgent);
  const variables = Object.entries({ ...prepared.environment(env), ...environment });
  const loader = variables.filter(([name]) => LOADER_NAME.test(name));
  const extra = [
    ...binds.flatMap(([hostPath, sandboxPath]) => ['--ro-bind', hostPath, sandboxPath]),
    ...loader.flatMap(([name, value]) => ['--setenv', name, value]),
  ];
  const { filterPath } = layout.folder;
  const filter = filterPath === undefined ? [] : ['--seccomp', String(firstDescriptor)];
  const argumentsDescriptor = filterPath === undefined ? firstDescriptor : firstDescriptor + 1;
  const own = isOffline ? [] : ownFolderBinds(layout);
  const sources = openSources([...mounts, ...own.filter((bind) => bind.type === 'bind')], bubblewrap);
  const descriptors = new Map(
    sources.mounts.map((mount, index) => [mount, argumentsDescriptor + 1 + index] as const),
  );
  const prefix = forwarder.length === 0 ? [] : [process.execPath, ...forwarder, '--'];
  return {
    file: bubblewrap.path,
    args: [
      '--args',
      String(argumentsDescriptor),
      ...flags,
      ...filter,
      '--',
      ...underLimits(layout.limits, command, prefix),
    ],
    pipedText: layOut({ extra, own, descriptors })
      .map((argument) => `${argument}\0`)
      .join(''),
    env: Object.fromEntries(variables.filter(([name]) => !LOADER_NAME.test(name))),
    ...(filterPath !== undefined && { inheritedFile: filterPath }),
    inheritedDescriptors: sources.descriptors,
    afterStart: () => sources.close(),
    ...(group !== undefined && { beforePipedText: (pid) => group.adopt(pid) }),
  };
}

/** No proxy is reachable. */
const OFFLINE = { binds: [], forwarder: [], environment: {} } as const;

function firstLine(text: string): string {
  return (text.trim().split('\n', 1)[0] ?? '').slice(0, 200);
}
