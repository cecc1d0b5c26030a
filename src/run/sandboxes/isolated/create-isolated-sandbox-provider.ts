/** Owns making a sandbox provider of one's own over a machine that shares no files with the host. */
import { describeValue } from '../../../errors/describe-value.ts';
import { UsageError } from '../../../errors/usage-error.ts';
import type { IsolatedSandboxProvider } from '../sandbox-provider.ts';
import type { IsolatedSandboxHandle } from './isolated-handle.ts';
import { openIsolatedSandbox } from './isolated-sandbox.ts';

/** An isolated sandbox provider of one's own. */
export interface IsolatedSandboxProviderOptions {
  readonly name: string;
  /** Environment for every command inside. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** How long one step of bringing files in or out may take, in milliseconds. @default 600_000 */
  readonly syncTimeoutMs?: number;
  /** Starts a machine. `env` is the whole environment of commands inside: it must not stand in a command line. */
  readonly create: (options: {
    readonly env: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  }) => Promise<IsolatedSandboxHandle>;
}

const DEFAULT_SYNC_TIMEOUT_MS = 600_000;

/**
 * Makes a sandbox provider over a machine that shares no files with the host: the branch travels there as a git bundle, and commits, merge commits
 * and empty ones too, come back with the same ids, with uncommitted, untracked and deleted files. What git ignores stays inside.
 *
 * Work is brought back after each turn and at the end, also when the run fails. What cannot be is a `SandboxError` `sync`, never a success: it says
 * where the work was saved under `.truecast/recovered/`, or that the machine was left running with it. Needs `git`, `sh` and `tar` inside.
 * Check it with the contract suite of `truecast/testing`.
 *
 * @throws UsageError when `name` is empty, `create` is not a function, or `syncTimeoutMs` is not positive
 *
 * @example
 * ```ts
 * const elsewhere = createIsolatedSandboxProvider({
 *   name: 'elsewhere',
 *   async create({ env }) {
 *     const shell = await noSandbox().create({ worktreePath: '/srv/work', hostRepoPath: '/srv', mounts: [], env });
 *     const copy = async (from: string, to: string): Promise<void> => {
 *       await shell.exec(`cp -R '${from}' '${to}'`);
 *     };
 *     return { worktreePath: '/srv/work', exec: shell.exec, copyIn: copy, copyFileOut: copy, close: shell.close };
 *   },
 * });
 * ```
 */
export function createIsolatedSandboxProvider(
  options: IsolatedSandboxProviderOptions,
): IsolatedSandboxProvider {
  const { name, env = {}, syncTimeoutMs = DEFAULT_SYNC_TIMEOUT_MS, create } = options;
  if (typeof name !== 'string' || name === '')
    throw new UsageError('Expected `name` to be a non-empty string.');
  if (typeof create !== 'function')
    throw new UsageError(`Expected \`create\` to be a function, got ${describeValue(create)}.`);
  if (typeof syncTimeoutMs !== 'number' || !(syncTimeoutMs > 0)) {
    throw new UsageError(
      `Expected \`syncTimeoutMs\` to be a positive number of milliseconds, got ${describeValue(syncTimeoutMs)}.`,
    );
  }
  return {
    name,
    tag: 'isolated',
    env,
    async create(given) {
      given.signal?.throwIfAborted();
      const handle = await create({
        env: given.env,
        ...(given.signal !== undefined && { signal: given.signal }),
      });
      return openIsolatedSandbox({ name, handle, stepTimeoutMs: syncTimeoutMs }, given);
    },
  };
}
