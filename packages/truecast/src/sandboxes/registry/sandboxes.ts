/**
 * Registry of local sandboxes: the only table for `--sandbox`, `init`, `doctor`, the server, docs
 * and tests.
 */
import type { EgressPolicy, SandboxProvider } from '../../ports/sandbox-provider.ts';
import type { EngineName } from '../containers/container-engine.ts';

/** Options that the command and the server set. */
export interface SandboxSettings {
  readonly egress?: EgressPolicy;
  /** Used for containers only. */
  readonly imageName?: string;
}

type MakeSandbox = (settings: SandboxSettings) => SandboxProvider;

export interface SandboxEntry {
  /** Name of the factory, as `truecast` exports it. */
  readonly factory: string;
  /** Loads the factory. A program loads only the sandbox that it uses. */
  readonly load: () => Promise<MakeSandbox>;
  /** Help line. */
  readonly hint: string;
  /** Program that it needs on the host. */
  readonly needs?: string;
  /** Image of a container sandbox: the engine, and the name of the image file that `init` writes. */
  readonly container?: { readonly engine: EngineName; readonly imageFile: string };
}

export type SandboxName = 'bubblewrap' | 'docker' | 'podman' | 'none';

/** The local sandboxes by their name in `--sandbox`. The default is the first that works, never `none`. */
export const SANDBOXES: Readonly<Record<SandboxName, SandboxEntry>> = {
  bubblewrap: {
    factory: 'bubblewrap',
    // bubblewrap has no image, so it accepts no image name.
    load: async () => {
      const { bubblewrap } = await import('../bubblewrap.ts');
      return ({ egress }) => bubblewrap(egress === undefined ? {} : { egress });
    },
    hint: 'no daemon, no image, no root (Linux)',
    needs: 'bwrap',
  },
  docker: {
    factory: 'docker',
    load: async () => (await import('../docker.ts')).docker,
    hint: 'a Docker container',
    needs: 'docker',
    container: { engine: 'docker', imageFile: 'Dockerfile' },
  },
  podman: {
    factory: 'podman',
    load: async () => (await import('../podman.ts')).podman,
    hint: 'a Podman container',
    needs: 'podman',
    container: { engine: 'podman', imageFile: 'Containerfile' },
  },
  none: {
    factory: 'noSandbox',
    load: async () => {
      const { noSandbox } = await import('../no-sandbox.ts');
      return () => noSandbox();
    },
    hint: 'no sandbox: the agent has all rights of this user',
  },
};

/** Names of all local sandboxes, in the order of the search for a default. */
export const SANDBOX_NAMES: readonly string[] = Object.keys(SANDBOXES);

/** The container engines with the name of their image file, in that order. */
export const CONTAINER_SANDBOXES: readonly NonNullable<SandboxEntry['container']>[] = Object.values(
  SANDBOXES,
).flatMap(({ container }) => container ?? []);

export function isSandboxName(name: string): name is SandboxName {
  return Object.hasOwn(SANDBOXES, name);
}
