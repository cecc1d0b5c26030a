/** Owns what the OpenAI wire needs of the rest of the house. */
import type { AgentRunner } from '../agents/agent-runner.ts';
import type { ChatModel } from '../models/chat-model.ts';

/** The models that callers may name. */
export interface ModelDirectory {
  /** Rejects with a `UsageError` for a name that is none, or one that cannot be used. */
  find(id: string): Promise<ChatModel>;
  /** The names that are told; another one may be found all the same. */
  list(): readonly string[] | Promise<readonly string[]>;
}

/** What the routes are made from. */
export interface OpenAIPorts {
  readonly models: ModelDirectory;
  /** Coding agents, each behind the name `agent/<name>`. @default none */
  readonly agents?: AgentRunner;
  readonly limits?: {
    /** @default 4194304 */
    readonly maxBodyBytes?: number;
    /** Milliseconds between two signs of life of a stream. @default 15000 */
    readonly keepAliveMs?: number;
  };
  /** Ends what is being answered; fires when the server stops. */
  readonly signal?: AbortSignal;
  /** Is told of the server's own faults, which callers are not. */
  onFault?(error: unknown): void;
}
