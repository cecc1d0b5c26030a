/** HTTP side of a worker process, with a port or mounted in an app. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { findStateFolder } from '@truecast/host/internal/state-folder';
import type { ServerConfig } from '../config/server-config.ts';
import { maskValue } from '@truecast/host/internal/masking/mask-value';
import type { RunArchive } from '../contract/run-archive.ts';
import type { ScenarioSource } from '../contract/scenario-source.ts';
import { createJwtVerifier } from '../http/verify-jwt.ts';
import { consoleFolder } from '../http/pages/console-files.ts';
import {
  listenHttp,
  mountHttp,
  type HttpOptions,
  type HttpServer,
  type MountedHttp,
} from '../http/app/listen-http.ts';
import { logFault } from '../log/log-fault.ts';
import { isLoopbackHost } from '../http/guard-origin.ts';
import { openConnections } from './connected/connect-models.ts';
import { graceMsOf, type OpenWorker } from './open-worker.ts';
import { lazyArchive, workReader } from './kept-runs/lazy-archive.ts';
import { listedModels } from './server-models.ts';

/** Settings with or without a port. */
export interface MountSettings {
  readonly config: ServerConfig;
  /** Prefix of each path of a server without a port. @default '' */
  readonly basePath?: string | undefined;
  /** True to serve the built console at `/`. @default false */
  readonly hasConsole?: boolean;
  /** Scenarios for the console. @default none */
  readonly scenarios?: ScenarioSource;
  /** Called with the server's own faults. @default logs them */
  readonly onFault?: (error: unknown, requestId: string) => void;
}

/** Address and accepted names of the server. */
export interface HttpSettings extends Omit<MountSettings, 'basePath'> {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
}

/**
 * Serves the worker's chats. Close it before the worker.
 *
 * @throws UsageError if the address is unavailable
 */
export async function serveHttp(worker: OpenWorker, settings: HttpSettings): Promise<HttpServer> {
  const { host, port } = settings;
  const options = httpOptions(worker, settings, isLoopbackHost(host));
  try {
    return await listenHttp({ ...options, host, port });
  } catch (cause) {
    throw explainListen(cause, host, port);
  }
}

/** Answers the worker's chats for the server of an app. Close it before the worker. */
export function mountWorker(worker: OpenWorker, settings: MountSettings): MountedHttp {
  const { basePath = '' } = settings;
  return mountHttp({ ...httpOptions(worker, settings, false), basePath });
}

function httpOptions(worker: OpenWorker, settings: MountSettings, isLoopback: boolean): HttpOptions {
  const { config } = settings;
  const { log, mask, observer } = worker;
  const { onFault = (error, requestId): void => logFault(log, error, requestId) } = settings;
  const { requestsPerMinute, concurrentRequests, openStreams, bodyBytes } = config.limits ?? {};
  return {
    store: worker.store,
    machine: worker.machine,
    agentRuns: worker.agentRuns,
    ...(worker.runOffers !== undefined && { runOffers: worker.runOffers }),
    readRunWork: workReader({ folderOf: worker.folderOf, mask: mask.mask }),
    metrics: worker.metrics,
    pacing: worker.pacing,
    models: worker.models,
    ...connectionsOf(worker, config, isLoopback),
    live: worker.live,
    runner: worker,
    openAI: serveOpenAI(worker, config),
    graceMs: graceMsOf(config),
    features: {
      workspace: config.workspace !== undefined,
      agents: config.agents !== undefined,
      subagents: config.subagents === true,
      webSearch: (config.providerTools ?? []).includes('web_search'),
    },
    ...openRuns(mask.mask),
    ...(settings.scenarios !== undefined && { scenarios: settings.scenarios }),
    ...(config.oidc !== undefined && { verifyJwt: createJwtVerifier(config.oidc) }),
    ...(settings.hasConsole === true && { consoleFolder: consoleFolder() }),
    limits: {
      ...(requestsPerMinute !== undefined && { requestsPerMinute }),
      ...(concurrentRequests !== undefined && { concurrentRequests }),
      ...(openStreams !== undefined && { openStreams }),
    },
    ...(bodyBytes !== undefined && { maxBodyBytes: bodyBytes }),
    onFault: (error, requestId) => onFault(maskValue(error, mask), requestId),
    onRequest: observer.onRequest,
    trace: worker.trace,
    ...(config.allowedHosts !== undefined && { allowedHosts: config.allowedHosts }),
    ...(config.allowedOrigins !== undefined && { allowedOrigins: config.allowedOrigins }),
  };
}

/** The app of a server without a port decides who reaches it, so that only the setting enables connections. */
function connectionsOf(
  worker: OpenWorker,
  { connectedModels: { isEnabled, allow = [] } = {} }: ServerConfig,
  isLoopback: boolean,
): Pick<HttpOptions, 'connections'> {
  if (!(isEnabled ?? isLoopback)) return {};
  return { connections: openConnections(worker, { allow, hasLoopback: isLoopback }) };
}

/** Kept runs of the working directory's repository. */
function openRuns(mask: (text: string) => string): { readonly runs?: RunArchive } {
  const folder = process.cwd();
  const state = findStateFolder(folder);
  return state === undefined ? {} : { runs: lazyArchive(state, { folder, mask }) };
}

/** Explains why an address is unavailable. Other causes are returned unchanged. */
export function explainListen(cause: unknown, host: string, port: number): unknown {
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined;
  if (code === 'EADDRINUSE') {
    return new UsageError(
      `Port ${port} of ${host} is in use, perhaps by another \`truecast serve\`. Stop that server, or pass another \`port\` (\`--port\`); 0 selects a free one.`,
      { cause },
    );
  }
  if (code === 'EACCES') {
    return new UsageError(
      `Port ${port} of ${host} needs more rights than this user has. Pass a \`port\` (\`--port\`) above 1023.`,
      { cause },
    );
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new UsageError(
      `This machine has no address \`${host}\`. Pass the \`host\` (\`--host\`) 127.0.0.1, or an address of this machine.`,
      { cause },
    );
  }
  return cause;
}

/** Creates the ports. */
function serveOpenAI(
  worker: Pick<OpenWorker, 'agents' | 'models' | 'mask' | 'observer' | 'processes'>,
  config: ServerConfig,
): NonNullable<HttpOptions['openAI']> {
  const models = listedModels(worker.models);
  const { agents } = worker;
  const { onModelCall, onAnswer } = worker.observer;
  const { bodyBytes } = config.limits ?? {};
  return {
    models,
    mask: worker.mask.mask,
    onModelCall,
    processes: worker.processes,
    onAnswer,
    ...(bodyBytes !== undefined && { limits: { maxBodyBytes: bodyBytes } }),
    ...(agents !== undefined && { agents }),
  };
}
