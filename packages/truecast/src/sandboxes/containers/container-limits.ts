/**
 * Limits of a container: their defaults, their arguments, and the ones that the engine can enforce
 * here.
 *
 * An engine without root and without delegated cgroups ignores a limit or fails to start. A default
 * limit that it cannot enforce is left out and reported. A limit that the caller set is always
 * passed on, so that the engine reports the failure.
 *
 * The shell of each command limits the size of a file, because `--ulimit` would override the
 * caller's `default_ulimits` of podman.
 */
import { totalmem } from 'node:os';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { callEngine, type EngineCall, type EngineName } from './container-engine.ts';
import type { ContainerOptions } from './container-options.ts';

/** The limits that an engine can enforce on the machine where it runs containers. */
export interface EngineLimits {
  readonly canLimitMemory: boolean;
  readonly canLimitProcesses: boolean;
  /** Memory of that machine, in bytes. */
  readonly totalMemoryBytes: number;
  /** True if the engine runs without root. */
  readonly isRootless: boolean;
  /** The engine's default seccomp profile, if it is a file of this machine. */
  readonly seccompPath?: string;
}

const DEFAULT_PIDS_LIMIT = 4_096;
const GIBIBYTE = 1024 ** 3;
export const DEFAULT_FILE_BYTES: number = 32 * GIBIBYTE;
const DEFAULT_TEMPORARY_BYTES: number = 2 * GIBIBYTE;
const MEMORY_SHARE = 0.75;
const TEMPORARY_FOLDERS = ['/tmp', '/var/tmp'];

/** Variables that select the engine, or the machine where it runs containers. */
const ENGINE_VARIABLES = ['PATH', 'CONTAINER_HOST', 'CONTAINERS_CONF', 'DOCKER_CONTEXT', 'DOCKER_HOST'];
/** Limits by engine. `podman info` takes longer than all other steps before a start. */
const known = new Map<string, EngineLimits>();

/**
 * Reads once per process which limits the engine can enforce. If the engine does not report it, all
 * limits are assumed to work.
 */
export async function readEngineLimits(engine: EngineName, call: EngineCall = {}): Promise<EngineLimits> {
  const key = JSON.stringify([engine, ...ENGINE_VARIABLES.map((name) => process.env[name])]);
  const kept = known.get(key);
  if (kept !== undefined) return kept;
  const { exitCode, stdout } = await callEngine(engine, ['info', '--format', '{{json .}}'], call);
  const parsed = parseJson(exitCode === 0 ? stdout : '{}');
  const info = asRecord(parsed.success ? parsed.value : undefined);
  const limits = engine === 'docker' ? dockerLimits(info) : podmanLimits(info);
  if (exitCode === 0) known.set(key, limits);
  return limits;
}

/**
 * Reads `docker info`. Its flags are false for an engine without cgroups, such as some rootless
 * engines.
 */
export function dockerLimits(info: Readonly<Record<string, unknown>>): EngineLimits {
  return {
    canLimitMemory: info['MemoryLimit'] !== false,
    canLimitProcesses: info['PidsLimit'] !== false,
    totalMemoryBytes: bytesOr(info['MemTotal']),
    isRootless: JSON.stringify(info['SecurityOptions'] ?? []).includes('rootless'),
  };
}

/**
 * Reads `podman info`. Without root, Podman needs cgroups v2, systemd and delegated controllers.
 */
export function podmanLimits(info: Readonly<Record<string, unknown>>): EngineLimits {
  const host = asRecord(info['host']);
  const controllers: unknown = host['cgroupControllers'];
  const isRootless = asRecord(host['security'])['rootless'] === true;
  const canLimit = !isRootless || (host['cgroupVersion'] === 'v2' && host['cgroupManager'] === 'systemd');
  const has = (name: string): boolean =>
    canLimit && (!Array.isArray(controllers) || controllers.includes(name));
  const { seccompEnabled, seccompProfilePath: seccompPath } = asRecord(host['security']);
  const isHere = seccompEnabled === true && host['serviceIsRemote'] !== true;
  return {
    canLimitMemory: has('memory'),
    canLimitProcesses: has('pids'),
    totalMemoryBytes: bytesOr(host['memTotal']),
    isRootless,
    ...(isHere && typeof seccompPath === 'string' && { seccompPath }),
  };
}

/** Returns the limits that this engine does not enforce. */
export function unenforcedContainerLimits(engine: EngineLimits): readonly string[] {
  return [...(engine.canLimitProcesses ? [] : ['processes']), ...(engine.canLimitMemory ? [] : ['memory'])];
}

/** Returns the `run` arguments that limit a container. A path in `mounted` is a mount point and gets no tmpfs. */
export function limitArguments(
  options: ContainerOptions,
  engine: EngineLimits,
  mounted: readonly string[],
): readonly string[] {
  const { cpus, temporaryBytes = DEFAULT_TEMPORARY_BYTES } = options;
  const defaultMemory = Math.floor(engine.totalMemoryBytes * MEMORY_SHARE);
  const memory = options.memoryBytes ?? (engine.canLimitMemory ? defaultMemory : undefined);
  const pids = options.pidsLimit ?? (engine.canLimitProcesses ? DEFAULT_PIDS_LIMIT : undefined);
  return [
    ...(cpus === undefined ? [] : ['--cpus', String(cpus)]),
    // Without the second limit, the engines allow the same amount again in swap.
    ...(memory === undefined ? [] : ['--memory', String(memory), '--memory-swap', String(memory)]),
    ...(pids === undefined ? [] : ['--pids-limit', String(pids)]),
    ...TEMPORARY_FOLDERS.filter((path) => !mounted.includes(path)).flatMap((path) => [
      '--tmpfs',
      `${path}:rw,exec,nosuid,nodev,mode=1777,size=${temporaryBytes}`,
    ]),
    ...(mounted.includes('/dev/shm') ? [] : ['--shm-size', String(temporaryBytes)]),
  ];
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function bytesOr(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : totalmem();
}
