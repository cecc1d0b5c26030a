/**
 * Owns the network of a sandbox that has none of its own: the proxies on the host, and what a sandbox has to show and start inside
 * so that programs reach them. Any kind of sandbox uses it: one that starts a forwarder for each command, or one for all.
 */
import { extname } from 'node:path';
import type { ModelAccess } from '../../agents/model-access.ts';
import type { EgressPolicy } from '../sandbox-provider.ts';
import { startAllowProxy, type AllowProxy } from './allow-proxy.ts';
import { parseAllowRules, type AllowRule } from './allow-rules.ts';
import { createEgressTeller, type EgressObserver } from './egress-observer.ts';
import { formatAuthority } from './host-name.ts';
import { insidePorts, loopbackTunnels } from './inside-ports.ts';
import { locateForwarder } from './locate-forwarder.ts';
import { startModelProxy, type ModelProxy, type ModelRequest } from './model-proxy.ts';
import { proxyEnvironment } from './proxy-environment.ts';

const MODEL_SOCKET = '/run/truecast/model.sock';
const ALLOW_SOCKET = '/run/truecast/egress.sock';

/** What a network is started with. */
export interface StartEgressOptions {
  readonly policy: EgressPolicy;
  /** How the agent reaches its model: carried with `"model"` and with `{ allow }`, where the agent has one. */
  readonly modelAccess: ModelAccess | undefined;
  readonly onModelRequest?: (request: ModelRequest) => void;
}

/** What a command needs inside. */
export interface InsideEgress {
  /** Host files to show inside, read-only: pairs of a path on the host and inside. */
  readonly binds: readonly (readonly [hostPath: string, sandboxPath: string])[];
  /**
   * The forwarder's arguments, for the node inside: with `--` and a command it runs that, without it prints `ready` and forwards
   * until it is killed. Empty when the command needs none.
   */
  readonly forwarder: readonly string[];
  /** Set over the command's own environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The network of one sandbox. */
export interface SandboxEgress {
  readonly policy: EgressPolicy;
  /** True when the sandbox must have no network but its own loopback. */
  readonly isCutOff: boolean;
  /** Inside, the URL that stands for the model's base URL; undefined when the agent reaches it by itself. */
  readonly modelBaseUrl: string | undefined;
  /** The access whose secrets must not be inside. */
  readonly carriedAccess: ModelAccess | undefined;
  /** What a command needs; only the agent's own reaches the model. */
  inside(isAgent: boolean): InsideEgress;
  observe(observer: EgressObserver): () => void;
  /** Ends the proxies and all that they carry. */
  close(): Promise<void>;
}

/** Starts what a policy needs on the host; the caller closes it. */
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
  // Node tells from the ending whether it must strip types.
  const inside = `/run/truecast/forwarder${extname(program)}`;
  return {
    binds: [
      ...(model === undefined ? [] : [[model.socketPath, MODEL_SOCKET] as const]),
      ...(allow === undefined ? [] : [[allow.socketPath, ALLOW_SOCKET] as const]),
      [program, inside],
    ],
    forwarder: ['--disable-warning=ExperimentalWarning', inside, ...listeners],
  };
}
