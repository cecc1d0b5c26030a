/** Row of a new chat. */
import type { ChatLabels } from '../../contract/chat-labels.ts';
import type { DynamicTool } from '../../contract/rows.ts';
import { labelsText } from './chat-labels.ts';
import type { NewMessage } from './append-messages.ts';
import type { Chat } from './chat-records.ts';
import type { DraftRow } from './chat-update.ts';
import type { Idempotency } from './idempotency.ts';

/** Id of a chat's first message. */
export const FIRST_ID = 1;

/** A new chat with its first message. */
export interface NewChat {
  readonly owner: string;
  readonly message: NewMessage;
  /** Model name in the server's registry. */
  readonly model: string;
  /** @default a random UUID */
  readonly id?: string;
  /** Chosen by its client, unique per owner. */
  readonly clientId?: string;
  /** @default '' */
  readonly title?: string;
  readonly systemPrompt?: string;
  /** Client-side tools. @default [] */
  readonly dynamicTools?: readonly DynamicTool[];
  /** Caller-defined metadata of the chat. @default {} */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** @default {} */
  readonly labels?: ChatLabels;
  /** @default false */
  readonly planMode?: boolean;
  /** The parent chat. Clients cannot set it. */
  readonly parentId?: string;
  readonly idempotency?: Idempotency<CreatedChat>;
}

/** A chat and the id of its first message. */
export interface CreatedChat {
  readonly chat: Chat;
  readonly messageId: number;
}

/** Returns the row before its first message. */
export function newChatRow(options: NewChat, id: string, now: number): DraftRow {
  return {
    id,
    owner: options.owner,
    client_id: options.clientId ?? null,
    status: 'running',
    version: 1,
    turn_version: 1,
    history_version: 1,
    queue_version: 1,
    attempt: 0,
    queue_length: 0,
    next_message_id: FIRST_ID,
    next_queued_id: 1,
    plan_mode: options.planMode === true ? 1 : 0,
    parent_id: options.parentId ?? null,
    title: options.title ?? '',
    model: options.model,
    system_prompt: options.systemPrompt ?? null,
    tools: JSON.stringify(options.dynamicTools ?? []),
    settings: JSON.stringify(options.settings ?? {}),
    labels: labelsText(options.labels ?? {}),
    request_id: null,
    error: null,
    retry: null,
    retry_at: null,
    compaction_requested: 0,
    action_deadline: null,
    runner: null,
    last_attempts: null,
    last_duration_ms: null,
    last_cost_micro_usd: null,
    traceparent: options.message.traceparent ?? null,
    tracestate: options.message.tracestate ?? null,
    deleted: 0,
    created_at: now,
    updated_at: now,
  };
}

/** Returns the row after its first message, whose later values are known. */
export function rowAfterFirstMessage(chat: DraftRow, { request }: NewMessage): DraftRow {
  return { ...chat, next_message_id: FIRST_ID + 1, request_id: request?.format.request_id ?? null };
}
