/** `podman()`: a Podman container, with or without root. */
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { containerProvider } from './containers/container-handle.ts';
import {
  assertContainerOptions,
  CONTAINER_OPTIONS,
  type ContainerOptions,
} from './containers/container-options.ts';
import type { BindMountSandboxProvider } from '../ports/sandbox-provider.ts';

export { defaultImageName } from './containers/container-image.ts';

/** Options of `podman()`. */
export interface PodmanOptions extends ContainerOptions {
  /**
   * For callers without root. `"keep-id"` maps the container's user to the caller. False keeps
   * Podman's own mapping, in which root inside is the caller. @default "keep-id"
   */
  readonly userns?: 'keep-id' | false;
}

const PODMAN_OPTIONS: OptionNames<PodmanOptions> = { ...CONTAINER_OPTIONS, userns: true };

/**
 * Runs commands in a Podman container. The worktree and its git folder are visible at their own
 * paths. The rest of the host's environment, files and processes is not. The guest has its own git
 * directory. Its commits reach the repository at the end of each turn.
 *
 * The container ends with this process, even if the process is killed. Requires Podman 4.3 or
 * later, with `catatonit`. HOME is `/home/agent`. Without root, the user has the id 1000 inside and
 * is the caller outside. A root user is also root inside, without the capabilities of `capDrop`.
 *
 * @throws UsageError if an option is invalid
 *
 * @example
 * ```ts
 * const sandbox = podman({ imageName: 'my-agents:1', capDrop: ['ALL'], pidsLimit: 512, egress: 'none' });
 * ```
 */
export function podman(options: PodmanOptions = {}): BindMountSandboxProvider {
  assertKnownOptions(options, { of: '`podman()`', names: PODMAN_OPTIONS });
  assertContainerOptions(options);
  const { userns } = options;
  if (userns !== undefined && userns !== false && userns !== 'keep-id') {
    throw new UsageError(`Expected \`userns\` to be 'keep-id' or false, got ${describeValue(userns)}.`);
  }
  return containerProvider('podman', options);
}
