/** Common options of `docker()` and `podman()`, and their validation. Pure. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { OptionNames } from '@truecast/core/internal/options/known-options';
import { assertEgressPolicy } from '../egress/egress-policy.ts';
import type { ModelRequest } from '../egress/model/model-proxy.ts';
import { assertTailChars } from '../shared/output-tail.ts';
import type { EgressPolicy, MountConfig } from '../../ports/sandbox-provider.ts';

/** Common options of `docker()` and `podman()`. */
export interface ContainerOptions {
  /**
   * Image with `sh`, `git`, `grep` and the agent's program. @default "truecast:" followed by the
   * name of the repository's folder
   */
  readonly imageName?: string;
  /** User id inside. @default the caller's id, so that the caller owns all files */
  readonly containerUid?: number;
  /** Group id inside. @default the caller's group id */
  readonly containerGid?: number;
  /** SELinux label of mounts: shared, private to this container, or unchanged. @default "z" */
  readonly selinuxLabel?: 'z' | 'Z' | false;
  /** Host paths to mount inside. @default [] */
  readonly mounts?: readonly MountConfig[];
  /** Environment for every command inside. The host's environment is not inherited. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * One or several networks of the engine. Allowed only with `egress: "host"`. @default the
   * engine's default
   */
  readonly network?: string | readonly string[];
  /** Additional groups of the user inside, by name or id. @default [] */
  readonly groups?: readonly (string | number)[];
  /** Host devices, such as `/dev/kvm` or `/dev/sda:/dev/xvdc:r`. @default [] */
  readonly devices?: readonly string[];
  /** CPU limit, in processors. @default none */
  readonly cpus?: number;
  /**
   * Memory limit of all processes together, with their swap, in bytes. Processes that exceed it are killed.
   * @default three quarters of the engine's memory
   */
  readonly memoryBytes?: number;
  /** Limit on processes and threads. @default 4096 */
  readonly pidsLimit?: number;
  /** Limit on each of `/tmp`, `/var/tmp` and `/dev/shm`, in bytes of memory. @default 2147483648 */
  readonly temporaryBytes?: number;
  /** Limit on one file, in bytes, also in the worktree. @default 34359738368 */
  readonly fileBytes?: number;
  /**
   * True allows setuid programs to change the user, such as the image's `sudo`. With docker, hooks
   * with `sudo` need it too: without it they run as root, but have no capabilities.
   *
   * @default false
   */
  readonly allowPrivilegeEscalation?: boolean;
  /**
   * Capabilities that are removed from the container, including its root user. @default ["MKNOD",
   * "NET_RAW", "SETPCAP", "SYS_CHROOT"]
   */
  readonly capDrop?: readonly string[];
  /**
   * Allowed connections of the container. All policies except `"host"` remove its network.
   * `"model"` and `{ allow }` then proxy allowed connections of every command through the host,
   * which needs `node` in the image.
   * @default "model" if the agent supports it, else the agent's default hosts; never "host"
   */
  readonly egress?: EgressPolicy;
  /**
   * Maximum length of a command's output in its result if lines are streamed, in UTF-16 units per
   * stream.
   * @default 65536
   */
  readonly maxOutputTailChars?: number;
  /** Called after each model request that a proxy forwarded. */
  readonly onModelRequest?: (request: ModelRequest) => void;
}

export const CONTAINER_OPTIONS: OptionNames<ContainerOptions> = {
  imageName: true,
  containerUid: true,
  containerGid: true,
  selinuxLabel: true,
  mounts: true,
  env: true,
  network: true,
  groups: true,
  devices: true,
  cpus: true,
  memoryBytes: true,
  pidsLimit: true,
  temporaryBytes: true,
  fileBytes: true,
  allowPrivilegeEscalation: true,
  capDrop: true,
  egress: true,
  maxOutputTailChars: true,
  onModelRequest: true,
};

/**
 * Capabilities that package managers in hooks do not need, but attacks on the kernel or the network
 * can use.
 */
export const DEFAULT_CAP_DROP: readonly string[] = ['MKNOD', 'NET_RAW', 'SETPCAP', 'SYS_CHROOT'];

/** The minimum that both engines accept. */
const MIN_MEMORY_BYTES = 6 * 1024 * 1024;
const MAX_ID = 4_294_967_294;
const IMAGE_NAME = /^[a-z0-9][a-z0-9._:@/-]*$/i;

/**
 * Rejects invalid options.
 *
 * @throws UsageError with the expected values
 */
export function assertContainerOptions(options: ContainerOptions): void {
  const { imageName, containerUid, containerGid, cpus, memoryBytes, pidsLimit, network, egress } = options;
  const isName = typeof imageName === 'string' && IMAGE_NAME.test(imageName);
  expect(isAbsent(imageName) || isName, 'imageName', 'the name of an image', imageName);
  for (const [name, value] of Object.entries({ containerUid, containerGid })) {
    expect(isAbsent(value) || isWhole(value, 0, MAX_ID), name, 'a numeric id', value);
  }
  expect(isAbsent(cpus) || (Number.isFinite(cpus) && cpus > 0), 'cpus', 'a number above 0', cpus);
  for (const name of ['temporaryBytes', 'fileBytes'] as const) {
    const value = options[name];
    const isRight = isAbsent(value) || isWhole(value, 1, Number.MAX_SAFE_INTEGER);
    expect(isRight, name, 'a whole number above 0', value);
  }
  const { allowPrivilegeEscalation: escalation } = options;
  expect(
    isAbsent(escalation) || typeof escalation === 'boolean',
    'allowPrivilegeEscalation',
    'true or false',
    escalation,
  );
  expect(
    isAbsent(memoryBytes) || isWhole(memoryBytes, MIN_MEMORY_BYTES, Number.MAX_SAFE_INTEGER),
    'memoryBytes',
    `a whole number of at least ${MIN_MEMORY_BYTES} bytes`,
    memoryBytes,
  );
  expect(
    isAbsent(pidsLimit) || isWhole(pidsLimit, 1, MAX_ID),
    'pidsLimit',
    'a whole number, 1 or greater',
    pidsLimit,
  );
  assertTailChars(options.maxOutputTailChars);
  assertLists(options);
  assertEgressPolicy(egress);
  if (network !== undefined && egress !== 'host') {
    throw new UsageError(
      "`network` needs a container with a network, which only `egress: 'host'` gives it. Set that too, or remove `network`.",
    );
  }
}

function assertLists({
  selinuxLabel,
  network,
  groups,
  devices,
  capDrop,
  mounts,
  env,
}: ContainerOptions): void {
  const labels: readonly unknown[] = [undefined, 'z', 'Z', false];
  expect(labels.includes(selinuxLabel), 'selinuxLabel', "'z', 'Z' or false", selinuxLabel);
  const networks = typeof network === 'string' ? [network] : network;
  for (const [name, list] of Object.entries({
    network: networks,
    devices,
    capDrop,
    groups: groups?.map(String),
  })) {
    expect(isAbsent(list) || list.every(isPlainWord), name, 'names without spaces', list);
  }
  expect(isAbsent(mounts) || Array.isArray(mounts), 'mounts', 'an array', mounts);
  const names = Object.keys(env ?? {});
  expect(
    names.every(isVariableName),
    'env',
    'names of variables',
    names.find((name) => !isVariableName(name)),
  );
}

/** Returns true if a shell can set the variable. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/** A word with a leading hyphen would be parsed as an engine option. */
function isPlainWord(value: unknown): boolean {
  return typeof value === 'string' && /^[^\s-]\S*$/.test(value);
}

function isAbsent(value: unknown): value is undefined {
  return value === undefined;
}

function isWhole(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

function expect(isRight: boolean, name: string, expected: string, value: unknown): void {
  if (isRight) return;
  throw new UsageError(`Expected \`${name}\` to be ${expected}, got ${describeValue(value)}.`);
}
