/** Owns the sandbox on Vercel's machines, by their SDK. Documented only: never run against the service here. */
import { SandboxError } from '../../errors/sandbox-error.ts';
import { createIsolatedSandboxProvider } from './isolated/create-isolated-sandbox-provider.ts';
import type { IsolatedSandboxHandle } from './isolated/isolated-handle.ts';
import { loadSdk } from './isolated/load-sdk.ts';
import { openRemoteMachine } from './isolated/remote-machine.ts';
import type { VercelSdk } from './isolated/vercel-sdk.ts';
import type { IsolatedSandboxProvider } from './sandbox-provider.ts';

/** Options of `vercel()`: its own, and those that the SDK's `Sandbox.create()` takes. */
export interface VercelOptions {
  /** Access token. @default what the SDK finds: `VERCEL_OIDC_TOKEN`, or `VERCEL_TOKEN` */
  readonly token?: string;
  readonly projectId?: string;
  readonly teamId?: string;
  /** What the machine starts with, beside the repository. */
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
  /** When the service ends the machine by itself, in milliseconds. */
  readonly timeout?: number;
  /** The same as `timeout`. */
  readonly timeoutMs?: number;
  readonly resources?: { readonly vcpus: number };
  readonly runtime?: string;
  /** The same as `runtime`. */
  readonly template?: string;
  readonly image?: string;
  readonly networkPolicy?: string | Readonly<Record<string, unknown>>;
  /** Environment for every command inside. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** How long one step of bringing files in or out may take, in milliseconds. @default 600_000 */
  readonly syncTimeoutMs?: number;
}

const NAME = 'vercel';
const WORKTREE_PATH = '/vercel/sandbox/workspace';

/**
 * Runs agents on a machine of Vercel Sandbox; files travel as `createIsolatedSandboxProvider()` says.
 *
 * Documented only: written against the types of `@vercel/sandbox` 3.5 and tested with a local double of it, never with the service. The agent's
 * program must be on the machine: install it by a hook, or start from a snapshot. The machine is stopped when the run ends.
 *
 * @throws SandboxError `unavailable` at the start when `@vercel/sandbox` is not installed, `start` when the service refuses
 *
 * @example
 * ```ts
 * const sandbox = vercel({ runtime: 'node24', timeoutMs: 30 * 60_000, env: { CI: 'true' } });
 * ```
 */
export function vercel(options: VercelOptions = {}): IsolatedSandboxProvider {
  const { env, syncTimeoutMs } = options;
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
  const { env: _env, syncTimeoutMs: _syncTimeoutMs, timeoutMs, template, ...rest } = options;
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
      if ((await machine.downloadFile({ path }, { path: hostPath }, { mkdirRecursive: true })) !== null)
        return;
      throw new SandboxError(`There is no file \`${path}\` in the sandbox \`${NAME}\`. Check the path.`, {
        code: 'copy',
      });
    },
    stop: async () => void (await machine.stop()),
  });
}
