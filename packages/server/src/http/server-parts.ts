/** Dependencies of the routes: the caller's ports and shared parts. */
import type { ConsoleFiles } from './pages/console-files.ts';
import type { ModelConnections } from '../models/model-connections.ts';
import type { ObservedRequest } from '../contract/observed-work.ts';
import type { ReadRunWork, RunArchive } from '../contract/run-archive.ts';
import type { ScenarioSource } from '../contract/scenario-source.ts';
import type { LiveParts } from '../live/live-parts.ts';
import type { Store } from '@truecast/store/internal/database/store';
import type { ModelPacing } from '../pacing/model-pacing.ts';
import type { ModelFacts } from '../models/model-facts.ts';
import type { ServerMetrics } from '../metrics/server-metrics.ts';
import type { OpenAIPorts } from '../openai/openai-ports.ts';
import type { KeptReports } from '../quality/kept-reports.ts';
import type { Trace } from '@truecast/model/internal/telemetry/tracing';
import type { RunOffers } from '../runs/agent-executor.ts';
import type { RunMachine } from '../runs/state/run-machine.ts';
import type { ChatMachine } from '../state/chat-machine.ts';
import type { VerifyJwt } from '../tokens/access-token.ts';

/** Registry of models for chats. */
export interface ServerModels {
  readonly default: string;
  list(): readonly string[];
  facts(id: string): ModelFacts;
  /** Calls the listener when the list has changed. Call the result to stop. @default it never changes */
  onChange?(listener: () => void): () => void;
}

/** Limits per token. */
export interface TokenLimits {
  /** @default 600 */
  readonly requestsPerMinute: number;
  /** Concurrent requests, streams excluded. @default 64 */
  readonly concurrentRequests: number;
  /** @default 32 */
  readonly openStreams: number;
}

export interface StreamTimes {
  /** Keep-alive interval. @default 15_000 */
  readonly pingMs: number;
  /** Poll interval without hints. @default 10_000 */
  readonly pollMs: number;
  /** Maximum time without a read before a client is disconnected. @default 10_000 */
  readonly slowMs: number;
}

/** Optional capabilities of the server's chats. */
export interface ServerFeatures {
  readonly workspace: boolean;
  readonly agents: boolean;
  readonly subagents: boolean;
  readonly webSearch: boolean;
  readonly connectModels: boolean;
}

/** Dependencies of the routes. */
export interface ServerParts {
  readonly features: ServerFeatures;
  readonly store: Store;
  /** Verifies tokens of an identity provider, if one is configured. */
  readonly verifyJwt?: VerifyJwt;
  readonly machine: ChatMachine;
  readonly models: ServerModels;
  /** Connects models. Undefined if this server does not. */
  readonly connections?: ModelConnections;
  /** Live answer hints. Safe to drop. */
  readonly live: Pick<LiveParts, 'subscribe'>;
  readonly metrics: ServerMetrics;
  readonly pacing: ModelPacing;
  /** Quality reports, read once for all callers. */
  readonly quality: KeptReports;
  readonly limits: TokenLimits;
  readonly streamTimes: StreamTimes;
  /** Maximum body size of a request. */
  readonly maxBodyBytes: number;
  /** Prefix of each path in the caller's app, '' if the app removes it. Undefined for a server with a port. */
  readonly basePath?: string;
  /** Accepted host names. Undefined accepts any. */
  readonly allowedHosts: readonly string[] | undefined;
  /** Allowed origins of other sites. */
  readonly allowedOrigins: readonly string[];
  /** Aborts when the server closes. Streams and waits then end. */
  readonly closing: AbortSignal;
  /** Ports of the OpenAI-compatible API, if enabled. */
  readonly openAI?: OpenAIPorts;
  /** Durable runs of coding agents. */
  readonly agentRuns: RunMachine;
  /** Runs that a client can create. Undefined if this server accepts none. */
  readonly runOffers?: RunOffers;
  /** Reads the work of durable runs. Undefined if this process has no repository. */
  readonly readRunWork?: ReadRunWork;
  /** Kept runs of coding agents, if any. */
  readonly runs?: RunArchive;
  /** Scenarios of the working directory, if the process can read manifests. */
  readonly scenarios?: ScenarioSource;
  /** The built console, if it is enabled. */
  readonly console?: ConsoleFiles;
  /** Called with the server's own faults. */
  readonly onFault: (error: unknown, requestId: string) => void;
  readonly trace: Trace;
  /** Called with each answered request. */
  readonly onRequest?: (request: ObservedRequest) => void;
}
