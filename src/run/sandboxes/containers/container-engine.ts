/** Owns calling a container engine's command line, and saying what to do where it does not answer. */
import { execa } from 'execa';
import { SandboxError, type SandboxErrorCode } from '../../../errors/sandbox-error.ts';

/** One of the engines that are driven by the same commands. */
export type EngineName = 'docker' | 'podman';

/** How a call of the engine ended. */
export interface EngineResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a call of the engine is given. */
export interface EngineCall {
  readonly signal?: AbortSignal;
  /** @default 60000 */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** What an engine says when nobody listens where it looks for its service. */
const UNREACHABLE =
  /cannot connect to the docker daemon|is the docker daemon running|failed to connect to the docker api|cannot connect to podman|unable to connect to podman|error during connect|connection refused/i;
const FORBIDDEN = /permission denied while trying to connect|dial unix \S+: connect: permission denied/i;

/**
 * Runs the engine's command line to its end. A non-zero exit is a result.
 *
 * @throws SandboxError `unavailable` when the engine is not installed or does not answer; the signal's reason on abort
 */
export async function callEngine(
  engine: EngineName,
  args: readonly string[],
  { signal, timeoutMs = DEFAULT_TIMEOUT_MS }: EngineCall = {},
): Promise<EngineResult> {
  signal?.throwIfAborted();
  const result = await execa(engine, args, {
    reject: false,
    stdin: 'ignore',
    timeout: timeoutMs,
    ...(signal !== undefined && { cancelSignal: signal }),
  });
  signal?.throwIfAborted();
  const { exitCode, stdout, stderr } = result;
  if (result.timedOut) {
    throw unavailable(
      engine,
      `\`${engine} ${args[0] ?? ''}\` did not answer within ${timeoutMs} ms`,
      RESTART[engine],
    );
  }
  if (exitCode === undefined) throw notInstalled(engine, result);
  assertReachable(engine, stderr);
  return { exitCode, stdout, stderr };
}

/** Kills and removes a container; one that is gone is no error. */
export async function removeContainer(engine: EngineName, container: string): Promise<void> {
  // Podman would first ask it to end, and wait for ten seconds.
  const atOnce = engine === 'podman' ? ['--time', '0'] : [];
  await callEngine(engine, ['rm', '--force', '--volumes', ...atOnce, container]);
}

/**
 * Tells an engine that cannot be reached from a call that failed.
 *
 * @throws SandboxError `unavailable` when `stderr` says so
 */
export function assertReachable(engine: EngineName, stderr: string): void {
  if (FORBIDDEN.test(stderr)) {
    const advice = `Add yourself to the group of its socket (\`sudo usermod -aG docker $USER\`, then log in again), or use \`podman\`, which needs no group`;
    throw unavailable(engine, `you may not use its socket: ${firstLine(stderr)}`, advice);
  }
  if (UNREACHABLE.test(stderr))
    throw unavailable(engine, `it does not answer: ${firstLine(stderr)}`, RESTART[engine]);
}

/** Makes the error for a call of the engine that failed. */
export function engineError(
  what: string,
  { exitCode, stderr }: Pick<EngineResult, 'exitCode' | 'stderr'>,
  { code, advice }: { readonly code: SandboxErrorCode; readonly advice: string },
): SandboxError {
  return new SandboxError(`${what}: ${firstLine(stderr)}. ${advice}`, {
    code,
    exitCode,
    stderrTail: stderr.slice(-2_000),
  });
}

/** What was said first, in short. */
export function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return (line === '' ? 'it said nothing' : line).slice(0, 300).replace(/\.$/, '');
}

const RESTART: Readonly<Record<EngineName, string>> = {
  docker:
    'Start it (`sudo systemctl start docker`, or Docker Desktop), and check `DOCKER_HOST` and `docker context ls`',
  podman: 'Try `podman info`; on macOS and Windows start its machine with `podman machine start`',
};

const INSTALL: Readonly<Record<EngineName, string>> = {
  docker: 'Install Docker Engine or Docker Desktop',
  podman:
    'Install it: `apt install podman catatonit` (Debian, Ubuntu), `dnf install podman` (Fedora), `brew install podman` (macOS)',
};

function notInstalled(engine: EngineName, cause: unknown): SandboxError {
  const found = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  const reason =
    found === 'ENOENT' || found === undefined ? 'it is not on the PATH' : `it cannot be started (${found})`;
  return unavailable(engine, reason, INSTALL[engine], cause);
}

function unavailable(engine: EngineName, reason: string, advice: string, cause?: unknown): SandboxError {
  return new SandboxError(
    `\`${engine}\` cannot be used: ${reason}. ${advice}; \`truecast doctor\` tells what works here.`,
    {
      code: 'unavailable',
      cause,
    },
  );
}
