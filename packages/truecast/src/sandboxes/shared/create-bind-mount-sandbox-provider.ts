/**
 * Custom bind-mount sandbox providers, for any environment that sees the worktree through a mount.
 */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type {
  BindMountSandboxProvider,
  SandboxCreateOptions,
  SandboxHandle,
} from '../../ports/sandbox-provider.ts';

/** Options of a custom sandbox provider. */
export interface BindMountSandboxProviderOptions {
  readonly name: string;
  /** Environment of every command in the sandbox. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** HOME in the sandbox, if it is known before a start. */
  readonly sandboxHomedir?: string;
  /**
   * Starts a sandbox. Its handle's `exec` must support `onLine`, `cwd`, `sudo` and `stdin`; with
   * `streamsChunks` every option. Without `streamsChunks`, an aborted command is no longer awaited,
   * and `close` must stop it.
   */
  readonly create: (options: SandboxCreateOptions) => Promise<SandboxHandle>;
}

/**
 * Creates a sandbox provider whose commits appear on the host at once, because the worktree is
 * mounted.
 *
 * Test it with the contract suite of `truecast/testing`.
 *
 * @throws UsageError if `name` is empty or `create` is not a function
 *
 * @example
 * ```ts
 * const local = createBindMountSandboxProvider({
 *   name: 'local',
 *   create: (options) => noSandbox().create(options),
 * });
 * ```
 */
export function createBindMountSandboxProvider(
  options: BindMountSandboxProviderOptions,
): BindMountSandboxProvider {
  const { name, env = {}, sandboxHomedir, create } = options;
  if (typeof name !== 'string' || name === '')
    throw new UsageError('Expected `name` to be a non-empty string.');
  if (typeof create !== 'function')
    throw new UsageError(`Expected \`create\` to be a function, got ${typeof create}.`);
  return {
    name,
    tag: 'bind-mount',
    env,
    ...(sandboxHomedir !== undefined && { sandboxHomedir }),
    create,
  };
}
