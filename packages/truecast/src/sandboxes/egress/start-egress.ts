/**
 * Network of a cut-off sandbox: the proxies on the host, and the mounts, forwarder and environment
 * inside. Independent of the sandbox type: it supports one forwarder per command, or one for all
 * commands.
 */
import type { ModelAccess } from '../../ports/model-access.ts';
import type { EgressPolicy } from '../../ports/sandbox-provider.ts';
import { startAllowProxy, type AllowProxy } from './proxy/allow-proxy.ts';
import { parseAllowRules, type AllowRule, LOOPBACK_HOSTS, formatAuthority } from '../../ports/allow-rules.ts';
import { createEgressTeller, type EgressObserver } from '../../ports/egress-observer.ts';
import { startModelProxy, type ModelProxy, type ModelRequest } from './model/model-proxy.ts';
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';

const MODEL_SOCKET = '/run/truecast/model.sock';
const ALLOW_SOCKET = '/run/truecast/egress.sock';

export interface StartEgressOptions {
  readonly policy: EgressPolicy;
  /** The agent's model access, if any. Proxied with `"model"` and with `{ allow }`. */
  readonly modelAccess: ModelAccess | undefined;
  readonly onModelRequest?: (request: ModelRequest) => void;
}

/** Requirements of a command inside the sandbox. */
export interface InsideEgress {
  /** Read-only mounts: pairs of a host path and a path inside. */
  readonly binds: readonly (readonly [hostPath: string, sandboxPath: string])[];
  /**
   * Arguments of the forwarder, for `node` inside. With `--` and a command it runs the command.
   * Without one it prints `ready` and forwards until it is killed. Empty if the command needs no
   * forwarder.
   */
  readonly forwarder: readonly string[];
  /** Merged over the command's environment. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface SandboxEgress {
  readonly policy: EgressPolicy;
  /** True if the sandbox must have no network except its loopback. */
  readonly isCutOff: boolean;
  /** URL inside that replaces the model's base URL. Undefined if the agent connects directly. */
  readonly modelBaseUrl: string | undefined;
  /** The proxied model access. Its secrets must not be inside. */
  readonly carriedAccess: ModelAccess | undefined;
  /** Returns the requirements of a command. Only the agent's command can reach the model. */
  inside(isAgent: boolean): InsideEgress;
  observe(observer: EgressObserver): () => void;
  /** Runs a command. Only while an agent's command runs, the model answers billed requests. */
  during<T>(isAgent: boolean | undefined, command: () => Promise<T>): Promise<T>;
  /** Stops the proxies and all their connections. */
  close(): Promise<void>;
}

/** Starts the proxies that a policy needs on the host. The caller closes them. */
export async function startEgress(options: StartEgressOptions): Promise<SandboxEgress> {
  const { policy, modelAccess, onModelRequest } = options;
  const teller = createEgressTeller();
  const rules = typeof policy === 'object' ? parseAllowRules(policy.allow) : undefined;
  const access = policy === 'model' || rules !== undefined ? modelAccess : undefined;
  const allow = rules === undefined ? undefined : await startAllowProxy({ rules, onRefusal: teller.refused });
  const model =
    access === undefined
      ? undefined
      : await startModelProxy({
          access,
          teller,
          ...(onModelRequest !== undefined && { onRequest: onModelRequest }),
        });
  const ports = insidePorts(rules ?? []);
  const modelBaseUrl = access === undefined ? undefined : `http://127.0.0.1:${ports.model}`;
  return {
    policy,
    isCutOff: policy !== 'host',
    modelBaseUrl,
    carriedAccess: access,
    inside(isAgent) {
      const own = isAgent ? model : undefined;
      return {
        ...describeInside({ allow, model: own, rules: rules ?? [], ports }),
        environment: {
          ...(rules !== undefined && proxyEnvironment(`http://127.0.0.1:${ports.proxy}`)),
          ...(own !== undefined && modelBaseUrl !== undefined && access?.environment(modelBaseUrl)),
        },
      };
    },
    observe: teller.observe,
    during: (isAgent, command) => (isAgent === true ? teller.duringAgent(command) : command()),
    async close() {
      await Promise.all([allow?.close(), model?.close()]);
    },
  };
}

interface InsideParts {
  readonly allow: AllowProxy | undefined;
  readonly model: ModelProxy | undefined;
  readonly rules: readonly AllowRule[];
  readonly ports: { readonly model: number; readonly proxy: number };
}

function describeInside({ allow, model, rules, ports }: InsideParts): Omit<InsideEgress, 'environment'> {
  const listeners = [
    ...(model === undefined ? [] : [`${ports.model}=${MODEL_SOCKET}`]),
    ...(allow === undefined ? [] : [`${ports.proxy}=${ALLOW_SOCKET}`]),
    ...loopbackTunnels(rules).map(
      ({ port, host }) => `${port}=${ALLOW_SOCKET}=${formatAuthority(host, port)}`,
    ),
  ];
  if (listeners.length === 0) return { binds: [], forwarder: [] };
  const program = locateForwarder();
  // Without types, so Node need not strip them.
  const inside = '/run/truecast/forwarder.mjs';
  return {
    binds: [
      ...(model === undefined ? [] : [[model.socketPath, MODEL_SOCKET] as const]),
      ...(allow === undefined ? [] : [[allow.socketPath, ALLOW_SOCKET] as const]),
      [program, inside],
    ],
    forwarder: [inside, ...listeners],
  };
}

/**
 * In the source tree the forwarder is next to this file. In the build, this file is part of an
 * entry or a chunk, at the root or one folder below.
 */
const PLACES = ['./forwarder.ts', './forwarder.mjs', '../forwarder.mjs', './forwarder.js', '../forwarder.js'];

/**
 * Returns the path of the forwarder program.
 *
 * @throws SandboxError `start` if this build does not contain it
 */
function locateForwarder(): string {
  const found = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) =>
    existsSync(path),
  );
  if (found !== undefined) return realpathSync(found);
  throw new SandboxError(
    "This build of truecast lacks `forwarder.mjs`, so `egress: 'model'` cannot work. Install truecast again.",
    {
      code: 'start',
    },
  );
}

/**
 * Returns the variables that curl, git, npm, pip, Go, Rust and, with `NODE_USE_ENV_PROXY`, Node
 * read. The sandbox's loopback is not proxied.
 */
function proxyEnvironment(proxyUrl: string): Readonly<Record<string, string>> {
  const direct = LOOPBACK_HOSTS.join(',');
  return {
    HTTP_PROXY: proxyUrl,
    HTTPS_PROXY: proxyUrl,
    ALL_PROXY: proxyUrl,
    http_proxy: proxyUrl,
    https_proxy: proxyUrl,
    all_proxy: proxyUrl,
    NO_PROXY: direct,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: '1',
  };
}

const MODEL_PORT = 8080;
const PROXY_PORT = 3128;

/** A host loopback port that is available inside under the same number. */
interface LoopbackTunnel {
  readonly host: string;
  readonly port: number;
}

/**
 * Returns the listed ports of the host's loopback. Programs inside reach them as local ports, with
 * or without a proxy.
 */
function loopbackTunnels(rules: readonly AllowRule[]): readonly LoopbackTunnel[] {
  const tunnels = new Map<number, LoopbackTunnel>();
  for (const { type, host, port } of rules) {
    if (type === 'suffix' || !LOOPBACK_HOSTS.includes(host) || port === undefined) continue;
    tunnels.set(port, { host, port });
  }
  return [...tunnels.values()];
}

/**
 * Returns the ports of the model and the proxy inside: the defaults, or the next free number if
 * such a port is listed.
 */
function insidePorts(rules: readonly AllowRule[]): { readonly model: number; readonly proxy: number } {
  const taken = new Set(loopbackTunnels(rules).map(({ port }) => port));
  const model = firstFree(MODEL_PORT, taken);
  return { model, proxy: firstFree(PROXY_PORT, new Set([...taken, model])) };
}

function firstFree(port: number, taken: ReadonlySet<number>): number {
  return taken.has(port) ? firstFree(port + 1, taken) : port;
}
