/** Owns `podman()`: a container of Podman, with or without root. */
import { describeValue } from '../../errors/describe-value.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { CONTAINER_HOME } from './containers/container-arguments.ts';
import { createContainerSandbox } from './containers/container-handle.ts';
import { assertContainerOptions, type ContainerOptions } from './containers/container-options.ts';
import type { BindMountSandboxProvider } from './sandbox-provider.ts';

export { defaultImageName } from './containers/container-image.ts';

/** Options of `podman()`. */
export interface PodmanOptions extends ContainerOptions {
  /**
   * For a caller who is not root: `"keep-id"` makes the container's user the caller outside; false leaves Podman's own mapping, in
   * which root inside is the caller. @default "keep-id"
   */
  readonly userns?: 'keep-id' | false;
}

/**
 * Runs commands in a container of Podman. The worktree and its git folder are seen at their own paths, of the host's environment,
 * files and processes nothing else is; commits land in the host's repository at once, whose configuration and hooks cannot be written.
 *
 * The container ends with this process, also when that is killed. Podman 4.3 or later, with `catatonit`. HOME is `/home/agent`.
 * Without root the user inside is 1000, and the caller outside; a user who is root is root inside too, without the capabilities of
 * `capDrop`.
 *
 * @throws UsageError when an option is wrong
 *
 * @example
 * ```ts
 * const sandbox = podman({ imageName: 'my-agents:1', capDrop: ['ALL'], pidsLimit: 512, egress: 'none' });
 * ```
 */
export function podman(options: PodmanOptions = {}): BindMountSandboxProvider {
  assertContainerOptions(options);
  const { userns } = options;
  if (userns !== undefined && userns !== false && userns !== 'keep-id') {
    throw new UsageError(`Expected \`userns\` to be 'keep-id' or false, got ${describeValue(userns)}.`);
  }
  return {
    name: 'podman',
    tag: 'bind-mount',
    env: { ...options.env },
    sandboxHomedir: CONTAINER_HOME,
    egress: options.egress ?? 'host',
    hasOwnPrograms: true,
    create: (created) => createContainerSandbox('podman', created, options),
  };
}
