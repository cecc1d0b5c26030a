/** Owns `docker()`: a container of Docker, or of anything that its command line reaches. */
import { createContainerSandbox } from './containers/container-handle.ts';
import { CONTAINER_HOME } from './containers/container-arguments.ts';
import { assertContainerOptions, type ContainerOptions } from './containers/container-options.ts';
import type { BindMountSandboxProvider } from './sandbox-provider.ts';

export { defaultImageName } from './containers/container-image.ts';

/** Options of `docker()`. */
export interface DockerOptions extends ContainerOptions {}

/**
 * Runs commands in a container of Docker. The worktree and its git folder are seen at their own paths, of the host's environment,
 * files and processes nothing else is; commits land in the host's repository at once, whose configuration and hooks cannot be written.
 *
 * The container ends with this process, also when that is killed. The `docker` command must work here; `DOCKER_HOST` is honoured.
 * HOME is `/home/agent`. A user who is root is root inside too, without the capabilities of `capDrop`.
 *
 * @throws UsageError when an option is wrong
 *
 * @example
 * ```ts
 * const sandbox = docker({ imageName: 'my-agents:1', memoryBytes: 4 * 1024 ** 3, egress: 'model' });
 * ```
 */
export function docker(options: DockerOptions = {}): BindMountSandboxProvider {
  assertContainerOptions(options);
  return {
    name: 'docker',
    tag: 'bind-mount',
    env: { ...options.env },
    sandboxHomedir: CONTAINER_HOME,
    egress: options.egress ?? 'host',
    hasOwnPrograms: true,
    create: (created) => createContainerSandbox('docker', created, options),
  };
}
