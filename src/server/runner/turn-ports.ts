/** Owns what the runner of turns is given: the chats, the models, the tools, and whom to tell. */
import type { LiveParts } from '../live/live-parts.ts';
import type { ChatModel } from '../models/chat-model.ts';
import type { ChatMachine } from '../state/chat-machine.ts';
import type { Chat } from '../state/chat-records.ts';
import type { ServerTool } from '../tools/server-tool.ts';
import type { WhileWaiting } from './step-aside.ts';

/** The models that chats may use. */
export interface ModelDirectory {
  /** @throws UsageError when there is no such model, or it cannot be used */
  find(id: string): Promise<ChatModel>;
}

/** The tools of the server. */
export interface ToolDirectory {
  /** Those that a chat may use now, the server's own before those of MCP servers; and what could not be reached. */
  list(chat: Chat): Promise<{ readonly tools: readonly ServerTool[]; readonly problems: readonly string[] }>;
}

/** What is worth a line in the log. */
export interface RunnerEvent {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly chatId?: string;
  readonly cause?: unknown;
}

/** What turns are run with. */
export interface TurnPorts {
  readonly machine: ChatMachine;
  readonly models: ModelDirectory;
  readonly tools: ToolDirectory;
  readonly live: LiveParts;
  /** Milliseconds between signs of life; the lease must be longer. @default 10_000 */
  readonly heartbeatMs?: number;
  /** Calls of the model in one turn. @default 200 */
  readonly maxSteps?: number;
  /** Milliseconds without a part of an answer after which it is given up. @default 600_000 */
  readonly silenceMs?: number;
  /** Bytes of one answer after which it is cut, as one that met the model's own limit. @default 8388608 */
  readonly maxReplyBytes?: number;
  /** From 0 up to 1. @default Math.random */
  readonly random?: () => number;
  /** Shortens the waits of tests. @default 1 */
  readonly backoffFactor?: number;
  /** Lends the turn's place to others while it waits for them. @default it keeps its place */
  readonly whileWaiting?: WhileWaiting;
  readonly onEvent?: (event: RunnerEvent) => void;
}
