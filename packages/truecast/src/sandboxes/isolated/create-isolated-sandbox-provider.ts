/**
 * `createIsolatedSandboxProvider()`: custom sandbox providers for machines that share no files with
 * the host.
 */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertTimeout } from '@truecast/core/internal/options/timeout';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import type { IsolatedCreateOptions } from '../../ports/custom-sandbox.ts';
import type {
  IsolatedSandboxProvider,
  SandboxCreateOptions,
  SandboxHandle,
} from '../../ports/sandbox-provider.ts';
import type { IsolatedSandboxHandle } from './isolated-handle.ts';
import { openIsolatedSandbox } from './isolated-sandbox.ts';

/** Options of a custom isolated sandbox provider. */
export interface IsolatedSandboxProviderConfig {
  readonly name: string;
  /** Environment for every command inside. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Timeout of one file transfer step, in milliseconds. @default 600_000 */
  readonly syncTimeoutMs?: number;
  /** Starts a machine. */
  readonly create: (options: IsolatedCreateOptions) => Promise<IsolatedSandboxHandle>;
}

/**
 * An isolated provider whose machines another provider can wrap: without a worktree, `create`
 * returns the machine itself.
 */
export interface MachineProvider extends IsolatedSandboxProvider {
  create(options: SandboxCreateOptions): Promise<SandboxHandle>;
  create(options: IsolatedCreateOptions): Promise<IsolatedSandboxHandle>;
}

const DEFAULT_SYNC_TIMEOUT_MS = 600_000;

/**
 * Creates a sandbox provider for a machine that shares no files with the host. The branch is sent
 * as a git bundle. Commits return with the same ids, including merge commits and empty ones,
 * together with uncommitted, untracked and deleted files. Files that git ignores stay inside.
 *
 * Work is transferred to the host after each turn and at the end, even if the run fails. A failed
 * transfer is a `SandboxError` `sync`, never a success. Its message names a folder with the saved
 * work, below `recovered` in the state folder. If the work could not be saved, it says that the
 * machine still runs with it. Needs `git`, `sh` and `tar` inside. Test your provider with the
 * contract suite of `truecast/testing`.
 *
 * @throws UsageError if `name` is empty, `create` is not a function, or `syncTimeoutMs` is not
 *   positive
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
export function createIsolatedSandboxProvider(options: IsolatedSandboxProviderConfig): MachineProvider {
  assertKind(options, 'an object', 'options', 'Pass `{ name, create }`.');
  const { name, env = {}, syncTimeoutMs = DEFAULT_SYNC_TIMEOUT_MS, create } = options;
  if (typeof name !== 'string' || name === '') {
    throw new UsageError(
      `Expected \`name\` to be a non-empty string, got ${describeValue(name)}. Name the sandbox.`,
    );
  }
  if (typeof create !== 'function') {
    throw new UsageError(`Expected \`create\` to be a function, got ${describeValue(create)}.`);
  }
  assertTimeout('syncTimeoutMs', syncTimeoutMs);
  async function creator(given: SandboxCreateOptions): Promise<SandboxHandle>;
  async function creator(given: IsolatedCreateOptions): Promise<IsolatedSandboxHandle>;
  async function creator(
    given: SandboxCreateOptions | IsolatedCreateOptions,
  ): Promise<SandboxHandle | IsolatedSandboxHandle> {
    const { env: inside, signal } = given;
    signal?.throwIfAborted();
    const handle = await create({ env: { ...inside }, ...(signal !== undefined && { signal }) });
    // Another isolated provider wraps this one, and transfers the files itself.
    if (!('worktreePath' in given)) return handle;
    return openIsolatedSandbox({ name, handle, stepTimeoutMs: syncTimeoutMs }, given);
  }
  return {
    name,
    tag: 'isolated',
    env,
    create: creator,
  };
}
