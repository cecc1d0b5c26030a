/** Owns the options that `docker()` and `podman()` share, and their checks. Pure. */
import { describeValue } from '../../../errors/describe-value.ts';
import { UsageError } from '../../../errors/usage-error.ts';
import { assertEgressPolicy } from '../egress/egress-policy.ts';
import type { ModelRequest } from '../egress/model-proxy.ts';
import { assertTailChars } from '../output-tail.ts';
import type { EgressPolicy, MountConfig } from '../sandbox-provider.ts';

/** What `docker()` and `podman()` have in common. */
export interface ContainerOptions {
  /** Image with `sh`, `git`, `grep` and the agent's program. @default "truecast:" and the name of the repository's folder */
  readonly imageName?: string;
  /** User id inside. @default the caller's, so that files come out as his */
  readonly containerUid?: number;
  /** Group id inside. @default the caller's */
  readonly containerGid?: number;
  /** Label of mounts on hosts with SELinux: shared, private to this container, or left as it is. @default "z" */
  readonly selinuxLabel?: 'z' | 'Z' | false;
  /** Host paths to show inside. @default [] */
  readonly mounts?: readonly MountConfig[];
  /** Environment for every command inside; the host's own is not seen. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** The engine's network, or several; only with `egress: "host"`. @default the engine's own default */
  readonly network?: string | readonly string[];
  /** Further groups of the user inside, by name or id. @default [] */
  readonly groups?: readonly (string | number)[];
  /** Devices of the host, as `/dev/kvm` or `/dev/sda:/dev/xvdc:r`. @default [] */
  readonly devices?: readonly string[];
  /** Bound on processor time, in processors. @default none */
  readonly cpus?: number;
  /** Bound on memory, in bytes; what takes more is killed. @default none */
  readonly memoryBytes?: number;
  /** Bound on processes and threads. @default the engine's own */
  readonly pidsLimit?: number;
  /**
   * Capabilities that the container, its root included, never has. `["ALL"]` also forbids programs that change the user, as the
   * image's `sudo`. @default ["MKNOD", "NET_RAW", "SETPCAP", "SYS_CHROOT"]
   */
  readonly capDrop?: readonly string[];
  /**
   * Where the container may connect to. All but `"host"` take its network away; `"model"` and `{ allow }` then carry what is
   * allowed through the host, for every command, which needs `node` in the image. @default "host"
   */
  readonly egress?: EgressPolicy;
  /**
   * How much of the output of a command is in its result when its lines were told as they came, in UTF-16 units of each stream.
   * @default 65536
   */
  readonly maxOutputTailChars?: number;
  /** Is called with each request to the model that a proxy carried, after it ended. */
  readonly onModelRequest?: (request: ModelRequest) => void;
}

/** What a package manager in a hook does not need, and an attack on the kernel or the network may. */
export const DEFAULT_CAP_DROP: readonly string[] = ['MKNOD', 'NET_RAW', 'SETPCAP', 'SYS_CHROOT'];

/** The smallest that both engines take. */
const MIN_MEMORY_BYTES = 6 * 1024 * 1024;
const MAX_ID = 4_294_967_294;
const IMAGE_NAME = /^[a-z0-9][a-z0-9._:@/-]*$/i;

/**
 * Refuses options that cannot work.
 *
 * @throws UsageError that says what was expected
 */
export function assertContainerOptions(options: ContainerOptions): void {
  const { imageName, containerUid, containerGid, cpus, memoryBytes, pidsLimit, network, egress } = options;
  expect(isAbsent(imageName) || IMAGE_NAME.test(imageName), 'imageName', 'the name of an image', imageName);
  for (const [name, value] of Object.entries({ containerUid, containerGid })) {
    expect(isAbsent(value) || isWhole(value, 0, MAX_ID), name, 'a numeric id', value);
  }
  expect(isAbsent(cpus) || (Number.isFinite(cpus) && cpus > 0), 'cpus', 'a number above 0', cpus);
  expect(
    isAbsent(memoryBytes) || isWhole(memoryBytes, MIN_MEMORY_BYTES, Number.MAX_SAFE_INTEGER),
    'memoryBytes',
    `a whole number of at least ${MIN_MEMORY_BYTES} bytes`,
    memoryBytes,
  );
  expect(
    isAbsent(pidsLimit) || isWhole(pidsLimit, 1, MAX_ID),
    'pidsLimit',
    'a whole number of 1 or more',
    pidsLimit,
  );
  assertTailChars(options.maxOutputTailChars);
  assertLists(options);
  assertEgressPolicy(egress);
  if (network !== undefined && egress !== undefined && egress !== 'host') {
    throw new UsageError(
      "`network` needs the container to have a network, and this `egress` takes it away. Leave one of them out, or use `egress: 'host'`.",
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
    expect(isAbsent(list) || list.every(isPlainWord), name, 'names without blanks', list);
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

/** Tells whether a shell can set the variable. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/** A word that begins with a hyphen would be an option of the engine. */
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
