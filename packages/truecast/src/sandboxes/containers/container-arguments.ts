/** Command-line arguments that start a container. Pure. They contain no secrets. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { ProcessIdentity } from '../../process/process-identity.ts';
import type { ContainerMount } from './container-folder.ts';
import { DEFAULT_CAP_DROP, type ContainerOptions } from './container-options.ts';
import type { EngineName } from './container-engine.ts';
import { limitArguments, type EngineLimits } from './container-limits.ts';
import type { ContainerUser } from './container-user.ts';
import { hostLabels } from './host-labels.ts';

/** HOME inside. */
export const CONTAINER_HOME = '/home/agent';

export interface ContainerLayout {
  readonly engine: EngineName;
  readonly name: string;
  readonly imageName: string;
  readonly user: ContainerUser;
  readonly worktreePath: string;
  readonly mounts: readonly ContainerMount[];
  readonly isCutOff: boolean;
  /** Arguments of the forwarder for `node` inside. Empty without a forwarder. */
  readonly forwarder: readonly string[];
  readonly host: ProcessIdentity;
  /** The limits that the engine can enforce. */
  readonly limits: EngineLimits;
  /** A stricter profile than the engine's. @default the engine's */
  readonly seccompFile?: string | undefined;
}

/**
 * Main process of a container. It ends when its stdin closes, which the host's process holds open.
 * The container therefore ends together with that process. `w` means that HOME is writable.
 */
const WATCH = `if [ -w ${CONTAINER_HOME} ]; then echo ready w; else echo ready; fi; while read -r _; do :; done`;

export function runArguments(layout: ContainerLayout, options: ContainerOptions): readonly string[] {
  const { engine, name, imageName, user, worktreePath, forwarder } = layout;
  const watch = ['/bin/sh', '-c', WATCH];
  const program = forwarder.length === 0 ? watch : ['node', ...forwarder, '--', ...watch];
  return [
    ['run', '--rm', '--interactive', '--init', '--pull=never', '--name', name, '--hostname', 'sandbox'],
    hostLabels(layout.host, worktreePath).flatMap((label) => ['--label', label]),
    // The host's proxy settings do not apply to the container, and its URL can contain a password.
    engine === 'podman' ? ['--http-proxy=false'] : [],
    ['--user', `${user.uid}:${user.gid}`, ...(user.userns === undefined ? [] : [`--userns=${user.userns}`])],
    networkArguments(layout, options),
    limitArguments(
      options,
      layout.limits,
      layout.mounts.map(({ sandboxPath }) => sandboxPath),
    ),
    rightArguments(options),
    layout.seccompFile === undefined ? [] : ['--security-opt', `seccomp=${layout.seccompFile}`],
    layout.mounts.flatMap((mount) => ['--volume', volume(mount, options)]),
    ['--workdir', worktreePath, '--entrypoint', '', imageName, ...program],
  ].flat();
}

function networkArguments(
  { isCutOff }: ContainerLayout,
  { network = [] }: ContainerOptions,
): readonly string[] {
  if (isCutOff) return ['--network', 'none'];
  return (typeof network === 'string' ? [network] : network).flatMap((name) => ['--network', name]);
}

function rightArguments(options: ContainerOptions): readonly string[] {
  const { groups = [], devices = [], capDrop = DEFAULT_CAP_DROP, allowPrivilegeEscalation = false } = options;
  return [
    ...groups.flatMap((group) => ['--group-add', String(group)]),
    ...devices.flatMap((device) => ['--device', device]),
    ...capDrop.flatMap((name) => ['--cap-drop', name]),
    ...(allowPrivilegeEscalation ? [] : ['--security-opt', 'no-new-privileges']),
  ];
}

function volume(
  { hostPath, sandboxPath, readonly, isLabelled }: ContainerMount,
  { selinuxLabel = 'z' }: ContainerOptions,
): string {
  const unusable = [hostPath, sandboxPath].find((path) => path.includes(':'));
  if (unusable !== undefined) {
    throw new UsageError(
      `Container engines cannot mount a path that contains a colon, got \`${unusable}\`. Use another path, or another sandbox.`,
      { code: 'unsupported' },
    );
  }
  const flags = [readonly ? 'ro' : 'rw', ...(isLabelled && selinuxLabel !== false ? [selinuxLabel] : [])];
  return `${hostPath}:${sandboxPath}:${flags.join(',')}`;
}
