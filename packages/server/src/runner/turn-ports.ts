/** Ports of the turn runner: chats, models, tools and observers. */
import type { ObservedToolCall } from '../contract/observed-work.ts';
import type { LiveParts } from '../live/live-parts.ts';
import type { ChatModel } from '../models/chat-model.ts';
import type { OnModelCall } from '../models/observed-step.ts';
import type { ChatMachine } from '../state/chat-machine.ts';
import type { ModelPacing } from '../pacing/model-pacing.ts';
import type { Chat } from '../state/rows/chat-records.ts';
import type { Trace } from '@truecast/model/internal/telemetry/tracing';
import type { ServerTool } from '../tools/server-tool.ts';
import type { WhileWaiting } from './step-aside.ts';

/** Registry of models for chats. */
export interface ModelDirectory {
  /** @throws UsageError if the model is unknown or unusable */
  find(id: string): Promise<ChatModel>;
}

export interface ToolDirectory {
  /**
   * Returns the tools that a chat can use now, the server's own before those of MCP servers, and
   * the unreachable servers.
   */
  list(chat: Chat): Promise<{ readonly tools: readonly ServerTool[]; readonly problems: readonly string[] }>;
}

/** A log entry. */
export interface RunnerEvent {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly chatId?: string;
  readonly cause?: unknown;
  /** True if every turn reports it until its cause is removed. */
  readonly isRepeated?: boolean;
}

export interface TurnPorts {
  readonly machine: ChatMachine;
  readonly models: ModelDirectory;
  readonly tools: ToolDirectory;
  readonly live: LiveParts;
  /** Heartbeat interval in milliseconds. The lease must be longer. @default 10_000 */
  readonly heartbeatMs?: number;
  /** Maximum model calls in one turn. @default 200 */
  readonly maxSteps?: number;
  /** Idle timeout: milliseconds without a chunk after which a call is aborted. @default 600_000 */
  readonly silenceMs?: number;
  /**
   * Maximum bytes of one reply. A longer reply fails the call, and the turn. @default 8388608
   */
  readonly maxReplyBytes?: number;
  /** From 0 up to 1. @default Math.random */
  readonly random?: () => number;
  /** Scales delays, for tests. @default 1 */
  readonly backoffFactor?: number;
  /** Rate limits and failures of the models. @default none: each chat retries independently */
  readonly pacing?: ModelPacing;
  /**
   * Announces that a chat has work after a delay. This is only a hint. @default the sweep finds it
   */
  readonly wakeLater?: (chatId: string, delayMs: number) => void;
  /** Starts a chat before the time of its retry. @default each chat waits until that time */
  readonly wakeEarly?: (chatId: string) => void;
  /** Releases the turn's slot while it waits for other turns. @default keeps the slot */
  readonly whileWaiting?: WhileWaiting;
  /** Milliseconds after which a call of an MCP server waits without the turn's slot. @default 5_000 */
  readonly slowCallMs?: number;
  /** Masks secrets in error messages of services and tools. @default the text unchanged */
  readonly mask?: (text: string) => string;
  /** @default creates no spans */
  readonly trace?: Trace;
  readonly onEvent?: (event: RunnerEvent) => void;
  readonly onModelCall?: OnModelCall;
  /** Called with each tool call of the server that ended. */
  readonly onToolCall?: (call: ObservedToolCall) => void;
}
