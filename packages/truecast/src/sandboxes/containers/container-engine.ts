/** Calls of a container engine's command line, with advice if it does not answer. */
import { SandboxError, type SandboxErrorCode } from '@truecast/core/internal/errors/sandbox-error';
import { runProgram } from '../../process/run-program.ts';

/** An engine with a Docker-compatible command line. */
export type EngineName = 'docker' | 'podman';

export interface EngineResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface EngineCall {
  readonly signal?: AbortSignal;
  /** @default 60000 */
  readonly timeoutMs?: number;
  /** Bytes for stdin. Without them stdin is empty. */
  readonly input?: Uint8Array;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** Messages of an engine's client if the service does not listen. */
const UNREACHABLE =
  /cannot connect to the docker daemon|is the docker daemon running|failed to connect to the docker api|cannot connect to podman|unable to connect to podman|error during connect|connection refused/i;
const FORBIDDEN = /permission denied while trying to connect|dial unix \S+: connect: permission denied/i;

/**
 * Runs the engine's command line until it exits. A non-zero exit code is returned, not thrown.
 *
 * @throws SandboxError `unavailable` if the engine is not installed or does not answer; the
 *   signal's reason on abort
 */
export async function callEngine(
  engine: EngineName,
  args: readonly string[],
  { signal, timeoutMs = DEFAULT_TIMEOUT_MS, input }: EngineCall = {},
): Promise<EngineResult> {
  const result = await runProgram(engine, args, { signal, timeoutMs, stdin: input });
  const { exitCode, stdout, stderr } = result;
  if (result.isTimedOut) {
    throw unavailable(
      engine,
      `\`${engine} ${args[0] ?? ''}\` did not answer within ${timeoutMs} ms`,
      RESTART[engine],
    );
  }
  if (exitCode === undefined) throw notInstalled(engine, result.startError);
  assertReachable(engine, stderr);
  return { exitCode, stdout, stderr };
}

/** Kills and removes a container. A missing container is not an error. */
export async function removeContainer(engine: EngineName, container: string): Promise<void> {
  // By default, Podman sends SIGTERM and waits for ten seconds.
  const atOnce = engine === 'podman' ? ['--time', '0'] : [];
  await callEngine(engine, ['rm', '--force', '--volumes', ...atOnce, container]);
}

/**
 * Distinguishes an unreachable engine from a failed call.
 *
 * @throws SandboxError `unavailable` if `stderr` shows an unreachable engine
 */
export function assertReachable(engine: EngineName, stderr: string): void {
  if (FORBIDDEN.test(stderr)) {
    const advice = `Add your user to the group of its socket (\`sudo usermod -aG docker $USER\`, then log in again), or use \`podman\`, which needs no group`;
    throw unavailable(engine, `permission to its socket is denied: ${firstLine(stderr)}`, advice);
  }
  if (UNREACHABLE.test(stderr)) {
    throw unavailable(engine, `it does not respond: ${firstLine(stderr)}`, RESTART[engine]);
  }
}

/** Creates the error of a failed engine call. */
export function engineError(
  what: string,
  { exitCode, stderr }: Pick<EngineResult, 'exitCode' | 'stderr'>,
  { code, advice }: { readonly code: SandboxErrorCode; readonly advice: string },
): SandboxError {
  return new SandboxError(`${what}: ${asSentence(firstLine(stderr))} ${advice}`, {
    code,
    exitCode,
    stderrTail: stderr.slice(-2_000),
  });
}

/** Returns the first line of a message, shortened. */
export function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return (line === '' ? 'it printed nothing' : line).slice(0, 300).replace(/\.$/, '');
}

/** Ends a text with a full stop, unless it ends a sentence already: engines ask questions. */
export function asSentence(text: string): string {
  return /[.?!]$/u.test(text) ? text : `${text}.`;
}

const RESTART: Readonly<Record<EngineName, string>> = {
  docker:
    'Start it (`sudo systemctl start docker`, or Docker Desktop), and check `DOCKER_HOST` and `docker context ls`',
  podman: 'Run `podman info`; on macOS and Windows, start its machine with `podman machine start`',
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
    `\`${engine}\` cannot be used: ${asSentence(reason)} ${advice}; \`truecast doctor\` lists what works here.`,
    {
      code: 'unavailable',
      cause,
    },
  );
}
