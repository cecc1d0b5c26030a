/** Committed rows that decisions are computed from: messages, chats and requests. Pure. */
import type { ChatStatus, DynamicTool } from '@truecast/client/internal/wire/chat';
import type { MessagePart, RequestLimits } from '@truecast/client/internal/wire/message-parts';
import type { FinishReason, MessageRole } from '@truecast/client/internal/wire/message';
import type { ReceiptMode, Receipt, ReceiptAttempt } from '@truecast/client/internal/wire/receipt';
import type { DialectName } from '@truecast/client/internal/wire/response-format';
import type { Known } from '@truecast/core/internal/shape/shape';
import type { Usage } from '@truecast/core/internal/kit/usage';

export type { DynamicTool } from '@truecast/client/internal/wire/chat';

// Rows are read strictly: they have nothing of a newer server.
export type RowPart = Known<MessagePart>;
export type RowFinish = Known<FinishReason>;
export type RowRole = Known<MessageRole>;
export type RowStatus = Known<ChatStatus>;
export type RowMode = Known<ReceiptMode>;

/** Facts of one model call, on its assistant row. */
export interface StepFacts {
  readonly finishReason: RowFinish;
  readonly model: string;
  /** Absent if the service reported none. */
  readonly usage?: Usage;
  /** How the answer was requested. Absent in an ordinary turn. */
  readonly mode?: RowMode;
  /** Schema mode of the model. Absent in an ordinary turn. */
  readonly dialect?: Known<DialectName>;
  /** Rules of the schema that this schema mode cannot hold. Absent without one. */
  readonly unenforced?: NonNullable<ReceiptAttempt['unenforced']>;
  /** Why the step is not the answer. Absent with a call: its result has it. */
  readonly attempt?: ReceiptAttempt;
  readonly durationMs?: number;
  /** Time before the model call. Absent if it did not wait. */
  readonly waitedMs?: number;
  readonly waitedFor?: Known<NonNullable<ReceiptAttempt['waited_for']>>;
  /** Time of the model call, in milliseconds since 1970. Absent in a step of `/v1`, which stores none. */
  readonly startedAt?: number;
  /** Arrival time of the reply's first part. Absent if none arrived. */
  readonly firstTokenAt?: number;
}

/**
 * A message of a chat. Rows are appended, and can be marked as deleted. Nothing else in them
 * changes.
 *
 * One assistant row is one model call. Its results follow in the order of its calls: one tool row
 * for calls that ran here, and one for calls that the client ran.
 */
export interface MessageRow {
  /** Increases within a chat in row order. */
  readonly id: number;
  readonly chatId: string;
  readonly role: RowRole;
  readonly parts: readonly RowPart[];
  /** `model`: in prompts only. `user`: for clients only. */
  readonly visibility: 'all' | 'model' | 'user';
  /** The request that the message started, on a user row with a response format. */
  readonly requestId?: string;
  /** Created by a compaction: its summary, its marker, or a copy of an unanswered message. */
  readonly isCompressed: boolean;
  /** Removed by an edit. Ignored by decisions and prompts. */
  readonly isDeleted: boolean;
  readonly step?: StepFacts;
  /** Plan mode for this turn, if it differs from the chat's. */
  readonly planMode?: boolean;
}

/** The chat fields that decisions read. The store's row has more. */
export interface ChatRow {
  readonly id: string;
  readonly ownerId: string;
  readonly status: RowStatus;
  readonly model: string;
  readonly planMode: boolean;
  readonly dynamicTools: readonly DynamicTool[];
  readonly systemPrompt?: string;
}

/** An accepted request, from the moment it was sent. */
export interface RequestRow {
  readonly requestId: string;
  readonly chatId: string;
  readonly status: Receipt['status'];
  /** Id of the message, once the message has left the queue. */
  readonly messageId?: number;
  /** Queue id of the message, until the message leaves the queue. */
  readonly queueId?: string;
  /** The response format as text. */
  readonly schemaText: string;
  readonly limits: RequestLimits;
  /** Complete once `status` is `succeeded`, `failed` or `canceled`, and then immutable. */
  readonly receipt: Receipt;
}
