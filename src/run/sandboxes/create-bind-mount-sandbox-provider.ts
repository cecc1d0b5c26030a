/** Owns making a sandbox provider of one's own, over any place that sees the worktree through a mount. */
import { UsageError } from '../../errors/usage-error.ts';
import type { BindMountSandboxProvider, SandboxCreateOptions, SandboxHandle } from './sandbox-provider.ts';

/** A sandbox provider of one's own. */
export interface BindMountSandboxProviderOptions {
  readonly name: string;
  /** Environment for every command inside. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** HOME inside, where it is known before a start. */
  readonly sandboxHomedir?: string;
  /** Starts a sandbox. Of its handle's `exec` only `onLine`, `cwd`, `sudo` and `stdin` are asked, unless it says `streamsChunks`. */
  readonly create: (options: SandboxCreateOptions) => Promise<SandboxHandle>;
}

/**
 * Makes a sandbox provider whose commits appear on the host at once, since the worktree is mounted.
 *
 * Check it with the contract suite of `truecast/testing`.
 *
 * @throws UsageError when `name` is empty or `create` is not a function
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
