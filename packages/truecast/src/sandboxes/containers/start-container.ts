/** Container lifecycle: starts it, and ends it together with the host's process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { withPrivateDescriptors } from '@truecast/host/internal/inherited-descriptors';
import { hostEnvironment } from '../../support/search-path.ts';
import { groupTree, trackTree } from '../../process/process-tree.ts';
import { assertReachable, engineError, removeContainer, type EngineName } from './container-engine.ts';
import { inTime } from '../../process/bounded-waits.ts';

export interface RunningContainer {
  /** True if the user inside can write HOME. */
  readonly canWriteHome: boolean;
  /** Ends all processes inside and removes the container. */
  stop(): Promise<void>;
}

export interface StartContainerOptions {
  readonly name: string;
  /** Arguments of `run`. */
  readonly args: readonly string[];
  /** True if its main process is node. */
  readonly needsNode: boolean;
  /**
   * Current folder of the engine. The engine writes a file `oom` there when the container exceeds
   * its memory limit.
   */
  readonly cwd: string;
  readonly signal: AbortSignal | undefined;
}

const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 10_000;
const MAX_STDERR_CHARS = 16_384;
/**
 * Messages for a missing main program, from an init process or from an engine that runs without
 * one.
 */
const NOT_FOUND =
  /failed to exec pid1|exec \S+ failed|executable file .*not found|no such file or directory/i;

/**
 * Starts a container whose main process lives as long as a pipe of this process. If this process or
 * the engine's client is killed, the container ends too.
 *
 * @throws SandboxError `start` or `unavailable`; the signal's reason on abort
 */
export async function startContainer(
  engine: EngineName,
  options: StartContainerOptions,
): Promise<RunningContainer> {
  const { name, args, signal } = options;
  signal?.throwIfAborted();
  // A separate process group, so that Ctrl-C on the terminal does not reach the container.
  const client = withPrivateDescriptors(3, (covers) =>
    spawn(engine, args, {
      stdio: ['pipe', 'pipe', 'pipe', ...covers],
      cwd: options.cwd,
      env: hostEnvironment(),
      detached: process.platform !== 'win32',
    }),
  );
  const { stdin } = client;
  const ended = endOf(client);
  stdin?.on('error', () => undefined);
  const untrack = client.pid === undefined ? () => undefined : trackTree(groupTree(client.pid));
  const stop = async (): Promise<void> => {
    stdin?.end();
    const isOver = await inTime(
      ended.then(() => true),
      STOP_TIMEOUT_MS,
      () => false,
    );
    if (!isOver) {
      await removeContainer(engine, name).catch(() => undefined);
      client.kill('SIGKILL');
    }
    untrack();
  };
  try {
    const first = await firstLineOf(client, engine, options);
    return { canWriteHome: first === 'ready w', stop };
  } catch (error) {
    client.kill('SIGKILL');
    untrack();
    await removeContainer(engine, name).catch(() => undefined);
    throw error;
  }
}

/** Resolves with the first line of the container's output. */
async function firstLineOf(
  client: ChildProcess,
  engine: EngineName,
  { signal, needsNode }: StartContainerOptions,
): Promise<string> {
  let stdout = '';
  let stderr = '';
  const timeout = AbortSignal.timeout(START_TIMEOUT_MS);
  const stopped = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const onAbort = (): void => {
    if (signal?.aborted === true) reject(signal.reason);
    else {
      reject(
        engineError(
          `\`${engine} run\` did not start a container within ${START_TIMEOUT_MS} ms`,
          { exitCode: 0, stderr },
          { code: 'timeout', advice: 'Check the load of this machine.' },
        ),
      );
    }
  };
  stopped.addEventListener('abort', onAbort, { once: true });
  client.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
    const end = stdout.indexOf('\n');
    if (end !== -1) resolve(stdout.slice(0, end));
  });
  client.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-MAX_STDERR_CHARS);
  });
  client.once('error', (cause) =>
    reject(
      new SandboxError(`\`${engine}\` cannot be started. Check that it is on the PATH.`, {
        code: 'unavailable',
        cause,
      }),
    ),
  );
  client.once('close', (code) => {
    try {
      assertReachable(engine, stderr);
      reject(startError(engine, { exitCode: code ?? 1, stderr }, needsNode));
    } catch (error) {
      reject(error);
    }
  });
  try {
    return await promise;
  } finally {
    stopped.removeEventListener('abort', onAbort);
  }
}

function startError(
  engine: EngineName,
  { exitCode, stderr }: { readonly exitCode: number; readonly stderr: string },
  needsNode: boolean,
): SandboxError {
  // Warnings can precede it.
  const last =
    stderr
      .trim()
      .split('\n')
      .findLast((line) => /error|not found|denied|invalid/i.test(line)) ?? stderr;
  return engineError(
    `\`${engine} run\` could not start a container`,
    { exitCode, stderr: last },
    { code: 'start', advice: adviceFor(engine, stderr, needsNode) },
  );
}

function adviceFor(engine: EngineName, stderr: string, needsNode: boolean): string {
  if (/container-init binary|docker-init/i.test(stderr)) {
    return 'Install the package `catatonit` (podman) or `tini` (docker).';
  }
  if (needsNode && (NOT_FOUND.test(stderr) || /truecast forwarder|SyntaxError|ERR_UNKNOWN/.test(stderr))) {
    return "An `egress` other than `'host'` and `'none'` needs `node` 22.18 or later in the image. Add it, or set `egress: 'host'`.";
  }
  if (NOT_FOUND.test(stderr)) return 'The image must have `/bin/sh`.';
  if (/setrlimit/.test(stderr)) {
    return 'This machine cannot raise its limits: set `default_ulimits` in containers.conf, or `--default-ulimit` of dockerd, below the hard limit (`ulimit -Hn`).';
  }
  return `Try \`${engine} run --rm\` with the same image by hand, or run \`truecast doctor\`.`;
}

function endOf(client: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    client.once('close', () => resolve());
    client.once('error', () => resolve());
  });
}
