/**
 * One command in a container: starts it, and ends its process tree, which the engine's client
 * cannot do.
 */
import { spawn } from 'node:child_process';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { withPrivateDescriptors } from '@truecast/host/internal/inherited-descriptors';
import { groupTree, type ProcessTree } from '../../process/process-tree.ts';
import { spawnCommand, type SpawnCommandResult } from '../../process/spawn-command.ts';
import { hostEnvironment } from '../../support/search-path.ts';
import { runInteractively, type RunInteractivelyOptions } from '../shared/run-interactively.ts';
import type { SandboxExecOptions } from '../../ports/sandbox-provider.ts';
import { assertReachable, firstLine, type EngineName } from './container-engine.ts';
import { ENVIRONMENT_FOLDER } from './container-folder.ts';

export interface CommandTarget {
  readonly engine: EngineName;
  readonly name: string;
  /** `uid:gid` of the agent. */
  readonly user: string;
  /** Maximum size of one file. */
  readonly fileBytes: number;
}

/** A command whose environment is stored in a file inside. */
export interface ContainerCommand {
  /** Name of that file, and marker in the environment of every process of the command. */
  readonly id: string;
  readonly cwd: string;
}

const ROOT = '0:0';
const MARKER = 'TRUECAST_COMMAND_ID';
/** Includes time for a second engine call on a busy machine. */
const KILL_GRACE_MS = 5_000;

const BYTES_PER_BLOCK = 512;
const ENTER = `ulimit -f "$1" 2>/dev/null; shift; . "${ENVIRONMENT_FOLDER}/$1" && cd "$2" || { echo "truecast: cannot enter $2" >&2; exit 125; }`;
/**
 * Prints the processes of a command as paths. Children and daemons inherit the marker in their
 * environments.
 */
const FIND = `grep -lsF "${MARKER}=$1" /proc/[0-9]*/environ`;

/** Prints the status files of daemons, whose parent is process 1. */
const FIND_DAEMONS = `grep -lsE '^PPid:[[:space:]]*1$' /proc/[0-9]*/status`;
/**
 * Kills the daemons without the marker that an agent's command left. $5 lists the daemons before
 * the command, because a hook can have started a service. Does nothing while another command, whose
 * parent is 0, runs. The first child of process 1 is the container's main program. Killing a daemon
 * gives its children the parent 1, so the search is repeated.
 */
const SWEEP = `commands=$(grep -lsE '^PPid:[[:space:]]*0$' /proc/[0-9]*/status | grep -vc '^/proc/1/')
main=; read -r main rest < /proc/1/task/1/children
for round in 1 2 3 4 5 6 7 8; do
  [ "$4" = agent ] && [ "$commands" = 1 ] && [ -n "$main" ] || break
  left=
  for s in $(${FIND_DAEMONS}); do
    case " $5 " in *" $s "*) continue ;; esac
    p=\${s#/proc/}; p=\${p%/status}
    [ "$p" = "$main" ] || { left=1; kill -KILL "$p"; }
  done
  [ -n "$left" ] || break
done`;

/**
 * Arguments: maximum blocks of one file, $1 id, $2 directory, $3 command, $4 `agent` or empty.
 * Processes that the command leaves running are killed. Messages of dash about signals are not part
 * of the command's output. The rest of stdin is read, because Podman's client otherwise loses the
 * output of a command that ends before its stdin is delivered.
 */
const RUN = `${ENTER}
exec 4>&2 2>/dev/null
[ "$4" = agent ] && set -- "$@" "$(echo $(${FIND_DAEMONS}))"
${MARKER}="$1" sh -c "$3" 2>&4 4>&-
code=$?
cat > /dev/null
for e in $(${FIND}); do e=\${e#/proc/}; kill -KILL "\${e%/environ}"; done
${SWEEP}
exit $code`;

/**
 * Arguments: maximum blocks of one file, $1 id, $2 directory, then the program and its arguments.
 */
const RUN_PROGRAM = `${ENTER}
export ${MARKER}="$1"; shift 2; exec "$@"`;

/** Arguments: $1 id, $2 signal. */
const KILL = `for e in $(${FIND}); do e=\${e#/proc/}; kill -"$2" "\${e%/environ}"; done`;

/** Exit codes and messages of the engines if they could not run a command. */
const ENGINE_CODES = [1, 125, 126, 127, 137, 255];
const ENGINE_FAILED =
  /^(error response from daemon|oci runtime exec failed|error: (no such container|no container with name|can only create exec sessions|container .* is not running|crun|runc|oci)|truecast: cannot enter)/i;

/**
 * Runs one command for `sh -c`.
 *
 * @throws SandboxError `exec` if the engine could not run it
 */
export async function runInContainer(
  target: CommandTarget,
  command: string,
  { sudo = false, ...options }: SandboxExecOptions & ContainerCommand & { readonly maxTailChars?: number },
): Promise<SpawnCommandResult> {
  const user = sudo ? ROOT : target.user;
  const result = await spawnCommand({
    ...options,
    file: target.engine,
    args: commandArguments(target, user, { ...options, command, isAgent: options.isAgent === true }),
    cwd: '/',
    env: hostEnvironment(),
    killGraceMs: KILL_GRACE_MS,
    makeTree: (pid) => containerTree(pid, (signal) => signalInside(target, user, options.id, signal)),
  });
  if (ENGINE_CODES.includes(result.exitCode) && ENGINE_FAILED.test(result.stderr)) {
    throw execError(target, options.cwd, result);
  }
  return result;
}

export function commandArguments(
  { name, fileBytes }: CommandTarget,
  user: string,
  { id, cwd, command, isAgent }: ContainerCommand & { readonly command: string; readonly isAgent: boolean },
): readonly string[] {
  const words = ['sh', blocksOf(fileBytes), id, cwd, command, isAgent ? 'agent' : ''];
  return ['exec', '--interactive', '--user', user, name, '/bin/sh', '-c', RUN, ...words];
}

function blocksOf(bytes: number): string {
  return String(Math.ceil(bytes / BYTES_PER_BLOCK));
}

/** Runs a program on the caller's terminal. */
export async function runInteractivelyInContainer(
  target: CommandTarget,
  args: readonly string[],
  options: Omit<RunInteractivelyOptions, 'file' | 'args' | 'env'> & ContainerCommand,
): Promise<{ readonly exitCode: number }> {
  const { id, cwd, stdin } = options;
  const isTerminal = stdin === process.stdin && process.stdin.isTTY;
  const flags = ['--interactive', ...(isTerminal ? ['--tty'] : []), '--user', target.user];
  const words = ['sh', blocksOf(target.fileBytes), id, cwd];
  try {
    return await runInteractively({
      ...options,
      file: target.engine,
      args: ['exec', ...flags, target.name, '/bin/sh', '-c', RUN_PROGRAM, ...words, ...args],
      cwd: '/',
      env: hostEnvironment(),
    });
  } finally {
    signalInside(target, target.user, id, 'KILL');
  }
}

/** Ends a command from inside. Killing only the client would leave it running. */
function containerTree(pid: number, signalAll: (signal: 'TERM' | 'KILL') => void): ProcessTree {
  const client = groupTree(pid);
  return {
    terminate: () => signalAll('TERM'),
    // If the client has ended, the command's wrapper has ended too and killed all other processes.
    kill() {
      if (client.isAlive()) signalAll('KILL');
    },
    isAlive: () => client.isAlive(),
  };
}

/** Does not wait, because this process can be about to exit. */
export function signalInside(
  { engine, name }: CommandTarget,
  user: string,
  id: string,
  signal: 'TERM' | 'KILL',
): void {
  const args = ['exec', '--user', user, name, '/bin/sh', '-c', KILL, 'sh', id, signal];
  withPrivateDescriptors(3, (covers) =>
    spawn(engine, args, {
      stdio: ['ignore', 'ignore', 'ignore', ...covers],
      cwd: '/',
      env: hostEnvironment(),
      detached: true,
    }),
  )
    .on('error', () => undefined)
    .unref();
}

function execError(
  { engine, name }: CommandTarget,
  cwd: string,
  { exitCode, stderr }: SpawnCommandResult,
): SandboxError {
  const said = firstLine(stderr);
  assertReachable(engine, said);
  const message = said.startsWith('truecast: cannot enter')
    ? `Cannot run a command in \`${cwd}\`: the directory does not exist in the container. Create it first.`
    : `\`${engine}\` could not run the command in the container \`${name}\`: ${said}. If the container has exited, check for an out-of-memory kill, and start a new sandbox.`;
  return new SandboxError(message, { code: 'exec', exitCode, stderrTail: stderr.slice(-2_000) });
}
