/** HTTP of a server: composition of its parts, with a port or mounted in an app, and a graceful shutdown. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { Store } from '@truecast/store/internal/database/store';
import type { ModelConnections } from '../../models/model-connections.ts';
import type { ObservedRequest } from '../../contract/observed-work.ts';
import type { ReadRunWork, RunArchive } from '../../contract/run-archive.ts';
import type { ScenarioSource } from '../../contract/scenario-source.ts';
import { liveParts, type LiveParts } from '../../live/live-parts.ts';
import type { RunOffers } from '../../runs/agent-executor.ts';
import { createRunMachine, type RunMachine } from '../../runs/state/run-machine.ts';
import { createChatMachine, type ChatMachine } from '../../state/chat-machine.ts';
import type { OpenAIPorts } from '../../openai/openai-ports.ts';
import { signalAtEnd } from '../openai-mount.ts';
import { openConsole } from '../pages/console-files.ts';
import { bindServer } from './bind-server.ts';
import { createApp } from './create-app.ts';
import { isLoopbackHost, LOOPBACK_HOST_NAMES } from '../guard-origin.ts';
import { mountedHandler, type FetchHandler, type MountedHandler } from './mounted-handler.ts';
import { measuredMachine } from '../../metrics/measured-machine.ts';
import { KeptReports } from '../../quality/kept-reports.ts';
import { ServerMetrics } from '../../metrics/server-metrics.ts';
import { ModelPacing } from '../../pacing/model-pacing.ts';
import type { VerifyJwt } from '../../tokens/access-token.ts';
import { passTrace, type Trace } from '@truecast/model/internal/telemetry/tracing';
import type { ServerFeatures, ServerModels, ServerParts, StreamTimes, TokenLimits } from '../server-parts.ts';

/** Runs the turns of chats. A wake-up is a hint. The rows contain the work. */
export interface TurnRunner {
  wake(chatId: string, owner?: string): void;
}

/** Options with or without a port. */
export interface HttpOptions {
  readonly store: Store;
  readonly models: ServerModels;
  /** Connects models. @default models are those of `models` */
  readonly connections?: ModelConnections;
  /** @default turns wait for a worker in another process */
  readonly runner?: TurnRunner;
  /** @default the server's own state machine */
  readonly machine?: ChatMachine;
  /**
   * Metrics that already count `machine`, such as those of a worker in this process. @default
   * counts changes over HTTP
   */
  readonly metrics?: ServerMetrics;
  /** Circuit breakers of the models, shared with the turns. @default separate ones for `/v1` */
  readonly pacing?: ModelPacing;
  /**
   * Channel of live answers, shared with the turns that write to it. @default receives from other
   * processes only
   */
  readonly live?: Pick<LiveParts, 'subscribe'>;
  /** Accepted host names. @default loopback names if it listens there, otherwise any */
  readonly allowedHosts?: readonly string[];
  /** Allowed origins of other sites. @default [] */
  readonly allowedOrigins?: readonly string[];
  readonly limits?: Partial<TokenLimits>;
  readonly streamTimes?: Partial<StreamTimes>;
  /** Maximum body size of a request, except for `/v1`. @default 1_048_576 */
  readonly maxBodyBytes?: number;
  /** Ports of the OpenAI-compatible API. @default absent: `/v1` is not found */
  readonly openAI?: Pick<
    OpenAIPorts,
    'models' | 'agents' | 'limits' | 'mask' | 'onAnswer' | 'onModelCall' | 'processes'
  >;
  /** Capabilities of the chats, for `/api/me`. @default none */
  readonly features?: Partial<ServerFeatures>;
  /** Verifies tokens of an identity provider. @default only own tokens are accepted */
  readonly verifyJwt?: VerifyJwt;
  /** Durable runs of coding agents. @default those of the store */
  readonly agentRuns?: RunMachine;
  /** Runs that a client can create. @default none */
  readonly runOffers?: RunOffers;
  /** Reads the work of durable runs. @default their commits are only counted */
  readonly readRunWork?: ReadRunWork;
  /** Kept runs of coding agents. @default none */
  readonly runs?: RunArchive;
  /** Scenarios that ensembles can play. @default none */
  readonly scenarios?: ScenarioSource;
  /** Folder of the built console. @default absent: `/` is a plain page */
  readonly consoleFolder?: string;
  /** Grace period of running requests at shutdown. @default 10_000 */
  readonly graceMs?: number;
  /** Called with the server's own faults. @default process.emitWarning */
  readonly onFault?: (error: unknown, requestId: string) => void;
  /** @default creates no spans */
  readonly trace?: Trace;
  /** Called with each answered request. */
  readonly onRequest?: (request: ObservedRequest) => void;
}

export interface ListenHttpOptions extends HttpOptions {
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** 0 selects a free port. @default 4747 */
  readonly port?: number;
  /**
   * Maximum time in milliseconds for a client to send a request. Checked at least every 5 seconds.
   * @default 60_000
   */
  readonly requestTimeoutMs?: number;
}

export interface MountHttpOptions extends HttpOptions {
  /** Prefix of each path, such as `/ai`. @default '' */
  readonly basePath?: string | undefined;
}

/**
 * Answers requests. `close()` rejects new requests, ends the streams, and waits for running requests.
 * The store stays open.
 */
export type MountedHttp = MountedHandler;

export interface HttpServer extends MountedHttp {
  /** Such as `http://127.0.0.1:4747`. */
  readonly url: string;
}

const LIMITS: TokenLimits = { requestsPerMinute: 600, concurrentRequests: 64, openStreams: 32 };
const NO_FEATURES: ServerFeatures = {
  workspace: false,
  agents: false,
  subagents: false,
  webSearch: false,
  connectModels: false,
};
const MAX_BODY_BYTES = 1024 * 1024;
const GRACE_MS = 10_000;
const STREAM_TIMES: StreamTimes = { pingMs: 15_000, pollMs: 10_000, slowMs: 10_000 };

/**
 * Serves chats over HTTP.
 *
 * @throws UsageError if `port` is invalid
 */
export async function listenHttp(options: ListenHttpOptions): Promise<HttpServer> {
  const { host = '127.0.0.1', port = 4747, graceMs = GRACE_MS } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError(`Expected \`port\` to be a whole number from 0 to 65535, got \`${port}\`.`);
  }
  const { allowedHosts = isLoopbackHost(host) ? LOOPBACK_HOST_NAMES : undefined } = options;
  const opened = openHttp({ ...options, ...(allowedHosts !== undefined && { allowedHosts }) });
  const { requestTimeoutMs } = options;
  const server = await bindServer({ fetch: opened.app, host, port, graceMs, requestTimeoutMs });
  return {
    url: server.url,
    fetch: opened.mounted.fetch,
    close: closeOnce(opened, () => server.close()),
  };
}

/**
 * Answers requests that another server gets. Any host name is accepted unless `allowedHosts` lists some:
 * the address is the other server's.
 */
export function mountHttp(options: MountHttpOptions): MountedHttp {
  const opened = openHttp(options);
  return { fetch: opened.mounted.fetch, close: closeOnce(opened, () => Promise.resolve()) };
}

interface OpenedHttp {
  readonly app: FetchHandler;
  readonly mounted: MountedHandler;
  readonly closing: AbortController;
}

function openHttp(options: MountHttpOptions): OpenedHttp {
  const { basePath, graceMs = GRACE_MS } = options;
  const closing = new AbortController();
  const { fetch: app } = createApp(toParts(options, closing.signal));
  return { app, closing, mounted: mountedHandler({ fetch: app, basePath, graceMs }) };
}

function closeOnce({ closing, mounted }: OpenedHttp, close: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => {
    closing.abort();
    return (closed ??= Promise.all([close(), mounted.close()]).then(() => undefined));
  };
}

function toParts(options: MountHttpOptions, closing: AbortSignal): ServerParts {
  const { store, models, runner, openAI, live = liveParts(options.store), onFault = warnOfFault } = options;
  const { metrics = new ServerMetrics(), pacing = new ModelPacing(), trace = passTrace } = options;
  const machine =
    options.machine ??
    createChatMachine({
      store,
      onRunnable: (chatId, owner) => runner?.wake(chatId, owner),
      onReceipt: (receipt) => metrics.observeReceipt(receipt),
    });
  const console = options.consoleFolder === undefined ? undefined : openConsole(options.consoleFolder);
  return {
    store,
    machine: options.metrics === undefined ? measuredMachine(machine, metrics) : machine,
    agentRuns: options.agentRuns ?? createRunMachine({ store }),
    ...(options.runOffers !== undefined && { runOffers: options.runOffers }),
    ...(options.readRunWork !== undefined && { readRunWork: options.readRunWork }),
    metrics,
    pacing,
    quality: new KeptReports(),
    models,
    live,
    features: {
      ...NO_FEATURES,
      ...options.features,
      connectModels: options.connections !== undefined,
    },
    ...(options.connections !== undefined && { connections: options.connections }),
    limits: { ...LIMITS, ...options.limits },
    streamTimes: { ...STREAM_TIMES, ...options.streamTimes },
    maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
    allowedHosts: options.allowedHosts,
    allowedOrigins: options.allowedOrigins ?? [],
    closing,
    onFault,
    trace,
    ...(options.basePath !== undefined && { basePath: options.basePath }),
    ...(options.onRequest !== undefined && { onRequest: options.onRequest }),
    ...(options.verifyJwt !== undefined && { verifyJwt: options.verifyJwt }),
    ...(options.runs !== undefined && { runs: options.runs }),
    ...(options.scenarios !== undefined && { scenarios: options.scenarios }),
    ...(console !== undefined && { console }),
    ...(openAI !== undefined && {
      openAI: {
        ...openAI,
        pacing,
        trace,
        signal: signalAtEnd(closing, options.graceMs ?? GRACE_MS),
        onFault: (error: unknown) => onFault(error, 'openai'),
      },
    }),
  };
}

/** Emits a process warning. */
export function warnOfFault(error: unknown, requestId: string): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`Request ${requestId} failed: ${text}`, 'TruecastServerWarning');
}
