/**
 * Sandbox on Vercel machines, through their SDK. Experimental: never run against the service
 * here.
 */
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import {
  createIsolatedSandboxProvider,
  type MachineProvider,
} from './isolated/create-isolated-sandbox-provider.ts';
import type { IsolatedSandboxHandle } from './isolated/isolated-handle.ts';
import { loadSdk } from './isolated/load-sdk.ts';
import { openRemoteMachine } from './isolated/remote-machine.ts';
import { assertTailChars } from './shared/output-tail.ts';
import type { VercelSdk } from './isolated/vercel-sdk.ts';

/**
 * Options of `vercel()`: its own options, and those of the SDK's `Sandbox.create()`.
 *
 * @experimental as `vercel()`
 */
export interface VercelOptions {
  /** Access token. @default the SDK's lookup: `VERCEL_OIDC_TOKEN`, or `VERCEL_TOKEN` */
  readonly token?: string;
  readonly projectId?: string;
  readonly teamId?: string;
  /** Initial content of the machine, in addition to the repository. */
  readonly source?:
    | {
        readonly type: 'git';
        readonly url: string;
        readonly depth?: number;
        readonly revision?: string;
        readonly username?: string;
        readonly password?: string;
      }
    | { readonly type: 'tarball'; readonly url: string }
    | { readonly type: 'snapshot'; readonly snapshotId: string };
  readonly ports?: readonly number[];
  /** Time after which the service stops the machine by itself, in milliseconds. */
  readonly timeout?: number;
  /** Alias of `timeout`. */
  readonly timeoutMs?: number;
  readonly resources?: { readonly vcpus: number };
  readonly runtime?: string;
  /** Alias of `runtime`. */
  readonly template?: string;
  readonly image?: string;
  readonly networkPolicy?: string | Readonly<Record<string, unknown>>;
  /** Environment of every command inside. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Timeout of each copy step in or out, in milliseconds. @default 600_000 */
  readonly syncTimeoutMs?: number;
  /**
   * Kept tail of each stream whose pieces were sent to a listener, in UTF-16 units. @default 65536
   */
  readonly maxOutputTailChars?: number;
}

const NAME = 'vercel';
const WORKTREE_PATH = '/vercel/sandbox/workspace';

const VERCEL_OPTIONS: OptionNames<VercelOptions> = {
  token: true,
  projectId: true,
  teamId: true,
  source: true,
  ports: true,
  timeout: true,
  timeoutMs: true,
  resources: true,
  runtime: true,
  template: true,
  image: true,
  networkPolicy: true,
  env: true,
  syncTimeoutMs: true,
  maxOutputTailChars: true,
};

/**
 * Runs agents on a machine of Vercel Sandbox. Files are copied as described at
 * `createIsolatedSandboxProvider()`.
 *
 * Experimental: written against the types of `@vercel/sandbox` 3.5 and tested with a local
 * double of it, never with the service. The agent's program must be on the machine: install it in a
 * hook, or start from a snapshot. The machine is stopped at the end of the run.
 *
 * @throws SandboxError `unavailable` at the start if `@vercel/sandbox` is not installed, `start` if
 *   the service does not start a machine
 *
 * @experimental Nobody has run it with the service yet. It can change in every version.
 *
 * @example
 * ```ts
 * const sandbox = vercel({ runtime: 'node24', timeoutMs: 30 * 60_000, env: { CI: 'true' } });
 * ```
 */
export function vercel(options: VercelOptions = {}): MachineProvider {
  assertKnownOptions(options, { of: '`vercel()`', names: VERCEL_OPTIONS });
  const { env, syncTimeoutMs } = options;
  assertTailChars(options.maxOutputTailChars);
  return createIsolatedSandboxProvider({
    name: NAME,
    ...(env !== undefined && { env }),
    ...(syncTimeoutMs !== undefined && { syncTimeoutMs }),
    create: (given) => start(options, given),
  });
}

async function start(
  options: VercelOptions,
  given: { readonly env: Readonly<Record<string, string>>; readonly signal?: AbortSignal },
): Promise<IsolatedSandboxHandle> {
  const { Sandbox }: VercelSdk = await loadSdk('@vercel/sandbox', () => import('@vercel/sandbox'));
  const {
    env: _env,
    syncTimeoutMs: _syncTimeoutMs,
    maxOutputTailChars: maxTailChars,
    timeoutMs,
    template,
    ...rest
  } = options;
  const timeout = rest.timeout ?? timeoutMs;
  const runtime = rest.runtime ?? template;
  const machine = await Sandbox.create({
    ...rest,
    ...(timeout !== undefined && { timeout }),
    ...(runtime !== undefined && { runtime }),
    ...(given.signal !== undefined && { signal: given.signal }),
  });
  return openRemoteMachine({
    worktreePath: WORKTREE_PATH,
    env: given.env,
    ...(maxTailChars !== undefined && { maxTailChars }),
    shell: {
      name: NAME,
      async run(line, { stdout, stderr, isRoot }) {
        const { exitCode } = await machine.runCommand({
          cmd: 'sh',
          args: ['-c', line],
          sudo: isRoot,
          stdout,
          stderr,
        });
        return exitCode;
      },
      upload: (path, content) => machine.writeFiles([{ path, content, mode: 0o600 }]),
    },
    async download(path, hostPath) {
      if ((await machine.downloadFile({ path }, { path: hostPath }, { mkdirRecursive: true })) !== null) {
        return;
      }
      throw new SandboxError(`There is no file \`${path}\` in the sandbox \`${NAME}\`. Check the path.`, {
        code: 'copy',
      });
    },
    stop: async () => void (await machine.stop()),
  });
}
