/** `docker()`: a container of Docker or of any engine with a compatible command line. */
import { assertKnownOptions } from '@truecast/core/internal/options/known-options';
import { containerProvider } from './containers/container-handle.ts';
import {
  assertContainerOptions,
  CONTAINER_OPTIONS,
  type ContainerOptions,
} from './containers/container-options.ts';
import type { BindMountSandboxProvider } from '../ports/sandbox-provider.ts';

export { defaultImageName } from './containers/container-image.ts';

/** Options of `docker()`. */
export interface DockerOptions extends ContainerOptions {}

/**
 * Runs commands in a Docker container. The worktree and its git folder are visible at their own
 * paths. The rest of the host's environment, files and processes is not. The guest has its own git
 * directory. Its commits reach the repository at the end of each turn.
 *
 * The container ends with this process, even if the process is killed. The `docker` command must
 * work here; `DOCKER_HOST` is respected. HOME is `/home/agent`. A root user is also root inside,
 * without the capabilities of `capDrop`.
 *
 * @throws UsageError if an option is invalid
 *
 * @example
 * ```ts
 * const sandbox = docker({ imageName: 'my-agents:1', memoryBytes: 4 * 1024 ** 3, egress: 'model' });
 * ```
 */
export function docker(options: DockerOptions = {}): BindMountSandboxProvider {
  assertKnownOptions(options, { of: '`docker()`', names: CONTAINER_OPTIONS });
  assertContainerOptions(options);
  return containerProvider('docker', options);
}
