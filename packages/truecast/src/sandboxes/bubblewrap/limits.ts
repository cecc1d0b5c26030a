/**
 * Limits of a bubblewrap sandbox: each tmpfs has a size, and each command has resource limits.
 *
 * The resource limit on processes counts those of one command, because its user namespace is new.
 * The limit on memory applies to a single process. If this machine allows it, a control group
 * limits all commands together.
 */
import { totalmem } from 'node:os';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { ModelRequest } from '../egress/model/model-proxy.ts';
import type { EgressPolicy, MountConfig } from '../../ports/sandbox-provider.ts';

/** Options of `bubblewrap()`. */
export interface BubblewrapOptions {
  /** Environment of every command inside. The host's environment is not visible. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Host paths to show inside. @default [] */
  readonly mounts?: readonly MountConfig[];
  /**
   * Allowed connections. With `"model"`, the agent reaches only its model, through a proxy on the
   * host that adds the key. Other commands have no network. With `{ allow }`, every command reaches
   * the listed hosts. The agent also reaches its model as with `"model"`, if it supports that.
   * @default "model" if the agent supports it, else the agent's own hosts; never "host"
   */
  readonly egress?: EgressPolicy;
  /**
   * Absolute path of HOME inside. It is a private folder that is removed with the sandbox.
   * @default "/home/agent"
   */
  readonly homePath?: string;
  /** Resource limits of the guest. */
  readonly limits?: BubblewrapLimits;
  /** Called after the end of each model request that a proxy forwarded. */
  readonly onModelRequest?: (request: ModelRequest) => void;
}

export interface BubblewrapLimits {
  /**
   * Maximum number of processes and threads: of all commands in a control group, else of one
   * command. @default 4096
   */
  readonly pids?: number;
  /**
   * Maximum memory in bytes: of all processes in a control group, with their swap, else of one
   * process.
   * @default three quarters of the host's
   */
  readonly memoryBytes?: number;
  /**
   * Maximum size in bytes of each of `/tmp`, `/var/tmp` and `/dev/shm`, which use memory of the
   * host.
   * @default 2147483648
   */
  readonly temporaryBytes?: number;
  /** Maximum size of one file in bytes, also in the worktree. @default 34359738368 */
  readonly fileBytes?: number;
}

const GIBIBYTE = 1024 ** 3;
const MEMORY_SHARE = 0.75;
const BYTES_PER_BLOCK = 512;

/**
 * Returns the limits that are not enforced on this machine. The kernel exempts root from the limit
 * on processes.
 */
export function unenforcedLimits(
  hasGroup: boolean,
  uid: number | undefined = process.getuid?.(),
): readonly string[] {
  if (hasGroup) return [];
  const memory = 'total memory of all processes';
  return uid === 0 ? ['processes (you are root)', memory] : [memory];
}

/**
 * Completes the limits.
 *
 * @throws UsageError if one is not a whole number above 0
 */
export function completeBubblewrapLimits(limits: BubblewrapLimits = {}): Required<BubblewrapLimits> {
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue;
    throw new UsageError(
      `Expected \`limits.${name}\` to be a whole number above 0, got ${describeValue(value)}.`,
    );
  }
  return {
    pids: limits.pids ?? 4_096,
    memoryBytes: limits.memoryBytes ?? Math.floor(totalmem() * MEMORY_SHARE),
    temporaryBytes: limits.temporaryBytes ?? 2 * GIBIBYTE,
    fileBytes: limits.fileBytes ?? 32 * GIBIBYTE,
  };
}

/** Returns the mounts of temporary folders, each with its size. */
export function temporaryMounts({ temporaryBytes }: Required<BubblewrapLimits>): readonly string[] {
  return ['/tmp', '/var/tmp', '/dev/shm'].flatMap((path) => [
    '--size',
    String(temporaryBytes),
    '--tmpfs',
    path,
  ]);
}

/** Command of a guest: a shell line, a program with its arguments, or a shell that reads its stdin. */
export type GuestCommand =
  | { readonly type: 'line'; readonly line: string }
  | { readonly type: 'program'; readonly args: readonly string[] }
  | { readonly type: 'stdin' };

/**
 * Returns the arguments that start a command under its limits. `prefix` starts it, if not empty.
 *
 * One shell sets the limits and runs a shell line: another one would take a millisecond more. A
 * shell that reads its stdin must read `limitsScript` first.
 */
export function underLimits(
  limits: Required<BubblewrapLimits>,
  command: GuestCommand,
  prefix: readonly string[],
): readonly string[] {
  if (command.type === 'stdin') return ['/bin/sh', '-s'];
  const set = limitsScript(limits);
  // `:` because the line starts with an exit code of 0.
  if (command.type === 'line' && prefix.length === 0) return ['/bin/sh', '-c', `${set}; :; ${command.line}`];
  const args = command.type === 'line' ? ['/bin/sh', '-c', command.line] : command.args;
  return ['/bin/sh', '-c', `${set}; exec "$@"`, 'sh', ...prefix, ...args];
}

/** Returns the shell command that sets the limits. A lower limit of the host is kept. */
export function limitsScript({ pids, memoryBytes, fileBytes }: Required<BubblewrapLimits>): string {
  const blocks = Math.ceil(fileBytes / BYTES_PER_BLOCK);
  const kibibytes = Math.ceil(memoryBytes / 1024);
  // The option for processes is `-p` in dash and busybox, `-u` in bash.
  return `{ ulimit -f ${blocks}; ulimit -d ${kibibytes}; ulimit -p ${pids} || ulimit -u ${pids}; } 2>/dev/null`;
}
