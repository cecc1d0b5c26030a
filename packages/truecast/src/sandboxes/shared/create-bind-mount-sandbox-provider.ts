/**
 * Custom bind-mount sandbox providers, for any environment that sees the worktree through a mount.
 */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import type { BindMountCreateOptions } from '../../ports/custom-sandbox.ts';
import type { BindMountSandboxProvider, SandboxHandle } from '../../ports/sandbox-provider.ts';

/** Options of a custom sandbox provider. */
export interface BindMountSandboxProviderConfig {
  readonly name: string;
  /** Environment of every command in the sandbox. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** HOME in the sandbox, if it is known before a start. */
  readonly sandboxHomedir?: string;
  /**
   * False if the agents' programs must be on the host, because the sandbox runs them from there.
   * @default true
   */
  readonly hasOwnPrograms?: boolean;
  /**
   * Starts a sandbox. Its handle's `exec` must support `onLine`, `cwd`, `sudo` and `stdin`. With
   * `streamsChunks` it must support every option. Without `streamsChunks`, an aborted command is no
   * longer awaited, and `close` must stop it.
   */
  readonly create: (options: BindMountCreateOptions) => Promise<SandboxHandle>;
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
 * @public
 */
export function createBindMountSandboxProvider(
  options: BindMountSandboxProviderConfig,
): BindMountSandboxProvider {
  assertKind(options, 'an object', 'options', 'Pass `{ name, create }`.');
  const { name, env = {}, sandboxHomedir, hasOwnPrograms = true, create } = options;
  if (typeof name !== 'string' || name === '') {
    throw new UsageError(
      `Expected \`name\` to be a non-empty string, got ${describeValue(name)}. Name the sandbox.`,
    );
  }
  if (typeof create !== 'function') {
    throw new UsageError(
      `Expected \`create\` to be a function, got ${describeValue(create)}. Write \`create: async () => …\`.`,
    );
  }
  return {
    name,
    tag: 'bind-mount',
    env,
    ...(sandboxHomedir !== undefined && { sandboxHomedir }),
    hasOwnPrograms,
    create: (given) => create({ ...given, mounts: [...given.mounts], env: { ...given.env } }),
  };
}
