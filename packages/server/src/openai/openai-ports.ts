/** Ports of the OpenAI-compatible API. */
import type { AgentRunner } from '../agents/agent-runner.ts';
import type { ObservedAnswer, WorkOrigin } from '../contract/observed-work.ts';
import type { ChatModel } from '../models/chat-model.ts';
import type { ModelPacing } from '../pacing/model-pacing.ts';
import type { OwnerPlaces } from '../pacing/owner-places.ts';
import type { Trace } from '@truecast/model/internal/telemetry/tracing';
import type { WireFailure } from './wire/wire-failure.ts';
import type { OnModelCall } from '../models/observed-step.ts';

/** Registry of models for callers. */
export interface ModelRegistry {
  /** Rejects with a `UsageError` for an unknown or unusable name. */
  find(id: string): Promise<ChatModel>;
  /** Listed names. Unlisted names can exist too. */
  list(): readonly string[] | Promise<readonly string[]>;
}

/** Dependencies of the routes. */
export interface OpenAIPorts {
  readonly models: ModelRegistry;
  /** Coding agents by the name `agent/<name>`. @default none */
  readonly agents?: AgentRunner;
  /** Rate limits and failures of the models, shared with the turns of chats. @default none */
  readonly pacing?: ModelPacing;
  /** Places of processes, for coding agents. @default unlimited */
  readonly processes?: OwnerPlaces;
  /** Returns the caller of a request. @default unknown */
  readonly originOf?: (request: Request) => WorkOrigin | undefined;
  /** @default creates no spans */
  readonly trace?: Trace;
  readonly onModelCall?: OnModelCall;
  /** Called before each model call. A returned failure ends the answer. @default admits every call */
  readonly admitCall?: (origin: WorkOrigin) => Promise<WireFailure | undefined>;
  /** Called with each answer, and with each rejected request. */
  readonly onAnswer?: (answer: ObservedAnswer) => void;
  readonly limits?: {
    /** @default 4194304 */
    readonly maxBodyBytes?: number;
    /** Keep-alive interval of a stream in milliseconds. @default 15000 */
    readonly keepAliveMs?: number;
  };
  /** Aborts running answers when the server stops. */
  readonly signal?: AbortSignal;
  /** Masks secrets in error messages of services and agents. @default the text unchanged */
  readonly mask?: (text: string) => string;
  /** Called with the server's own faults, which callers do not see. */
  onFault?(error: unknown): void;
}
