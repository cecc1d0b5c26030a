/** Owns the committed rows that every decision is made from: messages, chats and requests. Pure. */
import type { Usage } from '../../errors/usage.ts';
import type { MessagePart, RequestLimits } from './parts.ts';
import type { Mechanism, Receipt } from './receipt.ts';

/** Who a message is by, in the words of the models. */
export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';

/** Why a model stopped. `interrupted`: it was stopped, and what it had said by then was kept. */
export type FinishReason =
  | 'stop'
  | 'tool-calls'
  | 'length'
  | 'content-filter'
  | 'error'
  | 'interrupted'
  | 'other';

/** The facts of one call of a model; on its assistant row. */
export interface StepFacts {
  readonly finishReason: FinishReason;
  readonly model: string;
  readonly usage: Usage;
  /** How the answer was asked for; absent in an ordinary turn. */
  readonly mechanism?: Mechanism;
  readonly durationMs?: number;
}

/**
 * A message of a chat. Rows are only added, and marked deleted; nothing else in them changes.
 *
 * One assistant row is one call of a model. After it come the results of its calls, in their order: one tool row for what ran here, and one for what the
 * client ran.
 */
export interface MessageRow {
  /** Grows within a chat in the order of its rows. */
  readonly id: number;
  readonly chatId: string;
  readonly role: MessageRole;
  readonly parts: readonly MessagePart[];
  /** `model`: only prompts hold it; `user`: only clients see it. */
  readonly visibility: 'all' | 'model' | 'user';
  /** The request that the message began; on a user's row with a response format. */
  readonly requestId?: string;
  /** Made by a compaction: its summary, its marker, or a copy of a message that was not answered yet. */
  readonly isCompressed: boolean;
  /** Cut off by an edit; nothing decides by it, and no prompt holds it. */
  readonly isDeleted: boolean;
  readonly step?: StepFacts;
  /** The user's own choice for this turn, where it is not the chat's. */
  readonly planMode?: boolean;
}

/** What a chat is doing. */
export type ChatStatus = 'waiting' | 'running' | 'interrupting' | 'requires_action' | 'error';

/** A tool that the client runs. */
export interface DynamicTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** A chat, as far as decisions need it; the store's own row has more. */
export interface ChatRow {
  readonly id: string;
  readonly ownerId: string;
  readonly status: ChatStatus;
  readonly model: string;
  readonly planMode: boolean;
  readonly dynamicTools: readonly DynamicTool[];
  readonly systemPrompt?: string;
}

/** What a client accepted a request for, from the moment it was sent. */
export interface RequestRow {
  readonly requestId: string;
  readonly chatId: string;
  readonly status: Receipt['status'];
  /** The message that it belongs to, once that has left the queue. */
  readonly messageId?: number;
  /** The message's place in the queue, until then. */
  readonly queueId?: string;
  /** What the answer must be, as text. */
  readonly schemaText: string;
  readonly limits: RequestLimits;
  /** Complete once `status` is `succeeded`, `failed` or `canceled`; nothing changes it afterwards. */
  readonly receipt: Receipt;
}
