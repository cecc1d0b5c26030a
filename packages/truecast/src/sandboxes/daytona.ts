/**
 * Sandbox on Daytona machines, through their SDK. Experimental: never run against the service
 * here.
 */
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { quoteArgument } from '../support/shell-quote.ts';
import type { DaytonaClient, DaytonaMachine } from './isolated/daytona-sdk.ts';
import {
  createIsolatedSandboxProvider,
  type MachineProvider,
} from './isolated/create-isolated-sandbox-provider.ts';
import type { IsolatedSandboxHandle } from './isolated/isolated-handle.ts';
import { loadSdk } from './isolated/load-sdk.ts';
import type { RemoteOutput } from './isolated/remote-commands.ts';
import { openRemoteMachine, type RemoteMachineOptions } from './isolated/remote-machine.ts';
import { assertTailChars } from './shared/output-tail.ts';

/**
 * Options of `daytona()`.
 *
 * @experimental as `daytona()`
 */
export interface DaytonaOptions {
  /** @default the variable `DAYTONA_API_KEY` */
  readonly apiKey?: string;
  /** @default the variable `DAYTONA_API_URL` */
  readonly apiUrl?: string;
  /** @default the variable `DAYTONA_TARGET` */
  readonly target?: string;
  /** Options for the SDK's `create()`: an image or a snapshot, resources, intervals, labels … */
  readonly create?: object;
  /** Environment of every command in the sandbox. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Timeout of each copy step in or out, in milliseconds. @default 600_000 */
  readonly syncTimeoutMs?: number;
  /**
   * Kept tail of each stream whose pieces were sent to a listener, in UTF-16 units. @default 65536
   */
  readonly maxOutputTailChars?: number;
}

const NAME = 'daytona';
const POLL_MS = 200;
/** Maximum wait for the service's exit code after the last output. */
const MAX_EXIT_WAIT_MS = 30_000;

const DAYTONA_OPTIONS: OptionNames<DaytonaOptions> = {
  apiKey: true,
  apiUrl: true,
  target: true,
  create: true,
  env: true,
  syncTimeoutMs: true,
  maxOutputTailChars: true,
};

/**
 * Runs agents on a Daytona machine. Files are copied as described at
 * `createIsolatedSandboxProvider()`.
 *
 * Experimental: written against the types of `@daytona/sdk` 0.216 and tested with a local double
 * of it, never with the service. The agent's program must be on the machine: install it in a hook,
 * or start from an image or a snapshot that contains it. The machine is deleted at the end of the
 * run.
 *
 * @throws SandboxError `unavailable` at the start if `@daytona/sdk` is not installed, `start` if
 *   the service does not start a machine
 *
 * @experimental Nobody has run it with the service yet. It can change in every version.
 *
 * @example
 * ```ts
 * const sandbox = daytona({ create: { image: 'node:24', autoStopInterval: 0 }, env: { CI: 'true' } });
 * ```
 */
export function daytona(options: DaytonaOptions = {}): MachineProvider {
  assertKnownOptions(options, { of: '`daytona()`', names: DAYTONA_OPTIONS });
  const { env, syncTimeoutMs } = options;
  assertTailChars(options.maxOutputTailChars);
  return createIsolatedSandboxProvider({
    name: NAME,
    ...(env !== undefined && { env }),
    ...(syncTimeoutMs !== undefined && { syncTimeoutMs }),
    create: (given) => start(options, given.env),
  });
}

async function start(
  { apiKey, apiUrl, target, create, maxOutputTailChars: maxTailChars }: DaytonaOptions,
  env: Readonly<Record<string, string>>,
): Promise<IsolatedSandboxHandle> {
  const { Daytona } = await loadSdk('@daytona/sdk', () => import('@daytona/sdk'));
  const client = new Daytona({
    ...(apiKey !== undefined && { apiKey }),
    ...(apiUrl !== undefined && { apiUrl }),
    ...(target !== undefined && { target }),
  });
  return open(client, create, { env, ...(maxTailChars !== undefined && { maxTailChars }) });
}

async function open<TMachine extends DaytonaMachine>(
  client: DaytonaClient<TMachine>,
  create: object | undefined,
  given: Pick<RemoteMachineOptions, 'env' | 'maxTailChars'>,
): Promise<IsolatedSandboxHandle> {
  const machine = await client.create(create);
  return openRemoteMachine({
    // A separate folder, because the machine's own files are not part of the repository.
    worktreePath: `${(await machine.getWorkDir()) ?? '/tmp'}/truecast-workspace`,
    ...given,
    shell: {
      name: NAME,
      run: (line, output) => runLine(machine, line, output),
      upload: (path, content) => machine.fs.uploadFile(Buffer.from(content), path),
    },
    download: (path, hostPath) => machine.fs.downloadFile(path, hostPath),
    stop: () => client.delete(machine),
  });
}

/** One session per command, because commands of one session wait for each other. */
async function runLine(machine: DaytonaMachine, line: string, output: RemoteOutput): Promise<number> {
  const { process: processes } = machine;
  const sessionId = `truecast-${randomUUID()}`;
  const shell = `sh -c ${quoteArgument(line)}`;
  await processes.createSession(sessionId);
  try {
    const { cmdId } = await processes.executeSessionCommand(sessionId, {
      command: output.isRoot ? `sudo -n ${shell}` : shell,
      runAsync: true,
    });
    if (cmdId === undefined) {
      throw new SandboxError('Daytona returned no command id. Try again.', { code: 'exec' });
    }
    await processes.getSessionCommandLogs(
      sessionId,
      cmdId,
      (chunk) => void output.stdout.write(chunk),
      (chunk) => void output.stderr.write(chunk),
    );
    return await exitCodeOf(machine, sessionId, cmdId);
  } finally {
    await processes.deleteSession(sessionId).catch(() => undefined);
  }
}

async function exitCodeOf(machine: DaytonaMachine, sessionId: string, commandId: string): Promise<number> {
  for (let waitedMs = 0; waitedMs < MAX_EXIT_WAIT_MS; waitedMs += POLL_MS) {
    const { exitCode } = await machine.process.getSessionCommand(sessionId, commandId);
    if (exitCode !== undefined) return exitCode;
    await delay(POLL_MS);
  }
  throw new SandboxError(
    'The connection to a running command on Daytona was lost. Check the network connection, and run again.',
    {
      code: 'exec',
    },
  );
}
