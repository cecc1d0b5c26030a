/** Owns what the routes work with: the ports that the caller passes in, and what they share. */
import type { LiveParts } from '../live/live-parts.ts';
import type { Store } from '../../store/store.ts';
import type { ServerMetrics } from '../metrics/server-metrics.ts';
import type { OpenAIPorts } from '../openai/openai-ports.ts';
import type { ChatMachine } from '../state/chat-machine.ts';

/** Which models chats can run on. */
export interface ServerModels {
  readonly default: string;
  /** The default among them. */
  list(): readonly string[];
}

/** The bounds of one token. */
export interface TokenLimits {
  /** @default 600 */
  readonly requestsPerMinute: number;
  /** Requests at once, streams left out. @default 64 */
  readonly concurrentRequests: number;
  /** @default 32 */
  readonly openStreams: number;
}

/** How streams behave. */
export interface StreamTimes {
  /** Between comments that keep a connection open. @default 15_000 */
  readonly pingMs: number;
  /** Between looks at the rows where no hint came. @default 10_000 */
  readonly pollMs: number;
  /** How long a client may take to read before it is left. @default 10_000 */
  readonly slowMs: number;
}

/** What the routes work with. */
export interface ServerParts {
  readonly store: Store;
  readonly machine: ChatMachine;
  readonly models: ServerModels;
  /** Hints of what models are writing. Losing some is fine. */
  readonly live: Pick<LiveParts, 'subscribe'>;
  readonly metrics: ServerMetrics;
  readonly limits: TokenLimits;
  readonly streamTimes: StreamTimes;
  /** Names by which the server may be called; any where it is undefined. */
  readonly allowedHosts: readonly string[] | undefined;
  /** Other sites whose pages may call it. */
  readonly allowedOrigins: readonly string[];
  /** Aborts when the server closes: streams end, and nobody waits any longer. */
  readonly closing: AbortSignal;
  /** The OpenAI wire; none where it is absent. */
  readonly openAI?: OpenAIPorts;
  /** Is told of the server's own faults. */
  readonly onFault: (error: unknown, requestId: string) => void;
}
