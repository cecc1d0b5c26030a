/** Owns one command in a bubblewrap sandbox: its arguments, its environment, and telling bubblewrap's failure from its own. */
import { SandboxError } from '../../../errors/sandbox-error.ts';
import { spawnCommand, type SpawnCommandResult } from '../../process/spawn-command.ts';
import { bubblewrapArguments } from './arguments.ts';
import { bubblewrapTree, createBubblewrapStatus } from './tree.ts';
import type { PreparedBubblewrap } from './prepare-bubblewrap.ts';
import { runInteractively, type RunInteractivelyOptions } from '../run-interactively.ts';
import type { SandboxExecOptions } from '../sandbox-provider.ts';

/**
 * The dynamic loader obeys these in bubblewrap itself, outside: a guest that can write the project's `.env` would run there.
 * They hold no secret, so they may go in by the command line.
 */
const LOADER_NAME = /^(LD_|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$)/;

/**
 * Runs one command for `sh -c`.
 *
 * @throws SandboxError `exec` when bubblewrap could not set the sandbox up
 */
export async function runInBubblewrap(
  prepared: PreparedBubblewrap,
  command: string,
  options: SandboxExecOptions & { readonly cwd: string },
): Promise<SpawnCommandResult> {
  const status = createBubblewrapStatus();
  const call = buildCall(prepared, ['/bin/sh', '-c', command], {
    ...options,
    flags: ['--json-status-fd', '3'],
    filterDescriptor: 4,
  });
  const result = await spawnCommand({
    ...options,
    ...call,
    cwd: '/',
    onStatus: (chunk) => status.push(chunk),
    makeTree: (pid) => bubblewrapTree(pid, status),
  });
  // A signal that killed bubblewrap itself leaves no exit code either, but is no failure to start.
  if (status.hasExitCode || result.exitCode > 128) return result;
  throw new SandboxError(
    `bubblewrap could not start the command: ${firstLine(result.stderr)}. See \`truecast doctor\`.`,
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
  const { cwd, env } = options;
  const call = buildCall(prepared, args, {
    cwd,
    isAgent: true,
    flags: [],
    filterDescriptor: 3,
    ...(env !== undefined && { env }),
  });
  return runInteractively({ ...options, ...call, cwd: '/' });
}

interface BubblewrapCall {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly inheritedFile?: string;
}

interface CallOptions extends Pick<SandboxExecOptions, 'env' | 'isAgent'> {
  readonly cwd: string;
  readonly flags: readonly string[];
  /** Where bubblewrap finds the filter of system calls. */
  readonly filterDescriptor: number;
}

function buildCall(
  prepared: PreparedBubblewrap,
  command: readonly string[],
  { cwd, flags, filterDescriptor, env = {}, isAgent = false }: CallOptions,
): BubblewrapCall {
  const { egress, bubblewrap, layout } = prepared;
  const { binds, forwarder, environment } = egress.inside(isAgent);
  const variables = Object.entries({ ...prepared.environment(env), ...environment });
  const loader = variables.filter(([name]) => LOADER_NAME.test(name));
  const extra = [
    ...binds.flatMap(([hostPath, sandboxPath]) => ['--ro-bind', hostPath, sandboxPath]),
    ...loader.flatMap(([name, value]) => ['--setenv', name, value]),
  ];
  const { filterPath } = layout.folder;
  const filter = filterPath === undefined ? [] : ['--seccomp', String(filterDescriptor)];
  const prefix = forwarder.length === 0 ? [] : [process.execPath, ...forwarder, '--'];
  return {
    file: bubblewrap.path,
    args: [...bubblewrapArguments(layout, cwd, extra), ...flags, ...filter, '--', ...prefix, ...command],
    env: Object.fromEntries(variables.filter(([name]) => !LOADER_NAME.test(name))),
    ...(filterPath !== undefined && { inheritedFile: filterPath }),
  };
}

function firstLine(text: string): string {
  return (text.trim().split('\n', 1)[0] ?? '').slice(0, 200);
}
