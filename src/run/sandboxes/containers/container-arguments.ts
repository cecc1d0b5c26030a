/** Owns the arguments that start a container. Pure: nothing secret stands in them. */
import { UsageError } from '../../../errors/usage-error.ts';
import type { ProcessIdentity } from '../../git/process-identity.ts';
import type { ContainerMount } from './container-folder.ts';
import { DEFAULT_CAP_DROP, type ContainerOptions } from './container-options.ts';
import type { ContainerUser } from './container-user.ts';
import type { EngineName } from './container-engine.ts';
import { hostLabels } from './host-labels.ts';

/** HOME inside. */
export const CONTAINER_HOME = '/home/agent';

/** What a container is started with. */
export interface ContainerLayout {
  readonly engine: EngineName;
  readonly name: string;
  readonly imageName: string;
  readonly user: ContainerUser;
  readonly worktreePath: string;
  readonly mounts: readonly ContainerMount[];
  readonly isCutOff: boolean;
  /** The forwarder's arguments for the node inside; empty without one. */
  readonly forwarder: readonly string[];
  readonly host: ProcessIdentity;
}

/**
 * Ends when its stdin does, which the host's process holds open: whatever ends that process ends the container.
 * `w` says that HOME can be written.
 */
const WATCH = `if [ -w ${CONTAINER_HOME} ]; then echo ready w; else echo ready; fi; while read -r _; do :; done`;

/** Returns the arguments of `run`. */
export function runArguments(layout: ContainerLayout, options: ContainerOptions): readonly string[] {
  const { engine, name, imageName, user, worktreePath, forwarder } = layout;
  const watch = ['/bin/sh', '-c', WATCH];
  const program = forwarder.length === 0 ? watch : ['node', ...forwarder, '--', ...watch];
  return [
    ['run', '--rm', '--interactive', '--init', '--pull=never', '--name', name, '--hostname', 'sandbox'],
    hostLabels(layout.host, worktreePath).flatMap((label) => ['--label', label]),
    // The host's own proxy is not the container's, and its address may hold a password.
    engine === 'podman' ? ['--http-proxy=false'] : [],
    ['--user', `${user.uid}:${user.gid}`, ...(user.userns === undefined ? [] : [`--userns=${user.userns}`])],
    networkArguments(layout, options),
    limitArguments(options),
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

function limitArguments(options: ContainerOptions): readonly string[] {
  const { groups = [], devices = [], cpus, memoryBytes, pidsLimit, capDrop = DEFAULT_CAP_DROP } = options;
  const dropsAll = capDrop.some((name) => name.toUpperCase() === 'ALL');
  return [
    ...groups.flatMap((group) => ['--group-add', String(group)]),
    ...devices.flatMap((device) => ['--device', device]),
    ...(cpus === undefined ? [] : ['--cpus', String(cpus)]),
    ...(memoryBytes === undefined ? [] : ['--memory', String(memoryBytes)]),
    ...(pidsLimit === undefined ? [] : ['--pids-limit', String(pidsLimit)]),
    ...capDrop.flatMap((name) => ['--cap-drop', name]),
    ...(dropsAll ? ['--security-opt', 'no-new-privileges'] : []),
  ];
}

function volume(
  { hostPath, sandboxPath, readonly, isLabelled }: ContainerMount,
  { selinuxLabel = 'z' }: ContainerOptions,
): string {
  const unusable = [hostPath, sandboxPath].find((path) => path.includes(':'));
  if (unusable !== undefined) {
    throw new UsageError(
      `Container engines cannot mount a path with a colon, and \`${unusable}\` has one. Use another path, or another sandbox.`,
      { code: 'unsupported' },
    );
  }
  const flags = [readonly ? 'ro' : 'rw', ...(isLabelled && selinuxLabel !== false ? [selinuxLabel] : [])];
  return `${hostPath}:${sandboxPath}:${flags.join(',')}`;
}
