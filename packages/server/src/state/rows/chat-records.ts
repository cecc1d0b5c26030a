/** Read models of the state machine's rows, in the contract's terms. */
import { view } from '@truecast/core/internal/shape/view';
import type { RowPart } from '../../contract/rows.ts';
import { z } from 'zod';
import type {
  ChatMessageRow,
  ChatQueueRow,
  ChatRequestRow,
  StoredChat,
  ToolExecutionRow,
} from '@truecast/store/internal/tables/chats';
import type { ChatLabels } from '../../contract/chat-labels.ts';
import { toZod } from '../../contract/to-zod.ts';
import { requestLimits } from '@truecast/client/internal/wire/message-parts';
import { receipt, receiptMode, type Receipt } from '@truecast/client/internal/wire/receipt';
import type * as contract from '../../contract/rows.ts';
import { toTime } from '../../contract/to-time.ts';
import { rowFacts } from './chat-update.ts';
import {
  parseStored,
  readJson,
  readOr,
  readParts,
  readShownParts,
  readStep,
  receiptJson,
} from './stored-json.ts';

/** Reason why a chat is in `error`, as text for its user. */
export interface ChatError {
  readonly kind: string;
  readonly message: string;
  readonly isRetryable: boolean;
  readonly statusCode?: number;
}

/** A failed model call that will be retried. */
export interface RetryState {
  readonly attempt: number;
  readonly delayMs: number;
  readonly retryAt: number;
  readonly error: ChatError;
  /** True if the model was not called, because it accepted no call. */
  readonly isDeferred?: boolean;
  /** Modes that the provider rejected in this step. */
  readonly refusedModes?: readonly contract.RowMode[];
  /** True if the provider reported that the conversation is too long. */
  readonly isTooLong?: boolean;
  /** Faults of the server in a row, without a commit in between. */
  readonly faults?: number;
}

/** A chat. Times are milliseconds since 1970. */
export interface Chat extends contract.ChatRow {
  /** Increases with every change visible to clients. */
  readonly version: number;
  /** The version at which its last turn began. */
  readonly turnVersion: number;
  /** Chosen by its client, unique per owner. */
  readonly clientId?: string;
  readonly historyVersion: number;
  readonly queueVersion: number;
  /** Number of the next step's current attempt, counted from 0. */
  readonly attempt: number;
  readonly queueLength: number;
  readonly parentId?: string;
  readonly title: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly labels: ChatLabels;
  /** The request of the running turn. */
  readonly requestId?: string;
  readonly error?: ChatError;
  /** The last retry of the current step. */
  readonly retry?: RetryState;
  /** True until the retry is due and a worker has the chat. */
  readonly isAwaitingRetry: boolean;
  readonly isCompactionRequested: boolean;
  /** Deadline for client tool results. In `error`, the time until which the queue is held. */
  readonly actionDeadline?: number;
  readonly createdAt: number;
  /** Trace of the message that the turn works on. */
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly updatedAt: number;
}

export interface Message extends contract.MessageRow {
  readonly revision: number;
  readonly createdAt: number;
  /** Chosen by its client, unique within its chat. */
  readonly clientId?: string;
}

export interface QueuedMessage {
  readonly id: number;
  readonly chatId: string;
  readonly parts: readonly RowPart[];
  readonly requestId?: string;
  readonly planMode?: boolean;
  readonly createdAt: number;
  readonly clientId?: string;
}

/** A request and the state of the answer. */
export interface RequestRecord extends contract.RequestRow {
  readonly ownerId: string;
  readonly revision: number;
  readonly createdAt: number;
  /** Time when its message left the queue. */
  readonly startedAt?: number;
  readonly endedAt?: number;
}

/** A tool call of the ledger. */
export interface ToolExecution {
  readonly chatId: string;
  readonly messageId: number;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly runBy: 'server' | 'client';
  readonly inputHash: string;
  readonly idempotentHint: boolean;
  readonly status: 'reserved' | 'running' | 'done' | 'unknown' | 'no_effect';
  readonly isAnswered: boolean;
}

const chatError: z.ZodType<ChatError> = z.strictObject({
  kind: z.string(),
  message: z.string(),
  isRetryable: z.boolean(),
  statusCode: z.number().exactOptional(),
});
const retryState: z.ZodType<RetryState> = z.strictObject({
  attempt: z.number(),
  delayMs: z.number(),
  retryAt: z.number(),
  error: chatError,
  isDeferred: z.boolean().exactOptional(),
  refusedModes: z.array(toZod(receiptMode)).exactOptional(),
  isTooLong: z.boolean().exactOptional(),
  faults: z.number().exactOptional(),
});
const record = z.record(z.string(), z.unknown());
const labels: z.ZodType<ChatLabels> = z.record(z.string(), z.string());
const dynamicTools: z.ZodType<contract.DynamicTool[]> = z.array(
  z.strictObject({ name: z.string(), description: z.string().exactOptional(), input_schema: record }),
);

export function toChat(row: StoredChat): Chat {
  return view<Chat>({
    id: row.id,
    ownerId: row.owner,
    status: rowFacts(row).status,
    model: row.model,
    planMode: row.plan_mode === 1,
    dynamicTools: readJson(dynamicTools, row.tools),
    systemPrompt: row.system_prompt ?? undefined,
    version: row.version,
    turnVersion: row.turn_version,
    clientId: row.client_id ?? undefined,
    historyVersion: row.history_version,
    queueVersion: row.queue_version,
    attempt: row.attempt,
    queueLength: row.queue_length,
    traceparent: row.traceparent ?? undefined,
    tracestate: row.tracestate ?? undefined,
    parentId: row.parent_id ?? undefined,
    title: row.title,
    settings: readJson(record, row.settings),
    labels: row.labels === null ? {} : readJson(labels, row.labels),
    requestId: row.request_id ?? undefined,
    error: row.error === null ? undefined : readJson(chatError, row.error),
    retry: row.retry === null ? undefined : readJson(retryState, row.retry),
    isAwaitingRetry: row.retry_at !== null,
    isCompactionRequested: row.compaction_requested === 1,
    actionDeadline: row.action_deadline ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  });
}

/** Converts a message row for its turn. @throws ChatStateError `invalid-state` */
export function toMessage(row: ChatMessageRow): Message {
  return { ...messageFacts(row), parts: readParts(row), ...stepOf(row) };
}

/** Converts a message row for a reader, also if its parts cannot be read. */
export function toShownMessage(row: ChatMessageRow): Message {
  return { ...messageFacts(row), parts: readShownParts(row), ...readOr(() => stepOf(row), {}) };
}

function stepOf({ step }: ChatMessageRow): Pick<Message, 'step'> {
  return step === null ? {} : { step: readStep(step) };
}

function messageFacts(row: ChatMessageRow): Omit<Message, 'parts' | 'step'> {
  return view<Omit<Message, 'parts' | 'step'>>({
    id: row.id,
    chatId: row.chat_id,
    role: row.role as contract.MessageRow['role'],
    visibility: row.visibility as contract.MessageRow['visibility'],
    isCompressed: row.compressed === 1,
    isDeleted: row.deleted === 1,
    requestId: row.request_id ?? undefined,
    planMode: row.plan_mode === null ? undefined : row.plan_mode === 1,
    revision: row.revision,
    createdAt: row.created_at,
    clientId: row.client_id ?? undefined,
  });
}

export function toQueued(row: ChatQueueRow): QueuedMessage {
  return view<QueuedMessage>({
    id: row.id,
    chatId: row.chat_id,
    parts: readShownParts(row),
    requestId: row.request_id ?? undefined,
    planMode: row.plan_mode === null ? undefined : row.plan_mode === 1,
    createdAt: row.created_at,
    clientId: row.client_id ?? undefined,
  });
}

export function toRequest(row: ChatRequestRow): RequestRecord {
  const receipt = toReceipt(row);
  return {
    requestId: row.id,
    chatId: row.chat_id,
    ownerId: row.owner,
    status: receipt.status,
    ...(row.message_id !== null && { messageId: row.message_id }),
    ...(row.queued_id !== null && row.message_id === null && { queueId: String(row.queued_id) }),
    schemaText: row.schema_text,
    limits: readJson(toZod(requestLimits), row.limits),
    receipt,
    revision: row.revision,
    createdAt: row.created_at,
    ...(row.started_at !== null && { startedAt: row.started_at }),
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
  };
}

export function toExecution(row: ToolExecutionRow): ToolExecution {
  return {
    chatId: row.chat_id,
    messageId: row.message_id,
    toolCallId: row.tool_call_id,
    toolName: row.tool_name,
    runBy: row.run_by as ToolExecution['runBy'],
    inputHash: row.input_hash,
    idempotentHint: row.idempotent === 1,
    status: row.status as ToolExecution['status'],
    isAnswered: row.answered === 1,
  };
}

function toReceipt(row: ChatRequestRow): Receipt {
  const json = (text: string | null): unknown => (text === null ? undefined : readJson(z.unknown(), text));
  const facts = {
    request_id: row.id,
    name: row.name,
    status: row.status,
    value: json(row.value_text),
    value_text: row.value_text,
    value_hash: row.value_hash,
    numbers_exact: row.numbers_exact === null ? null : row.numbers_exact === 1,
    schema_hash: row.schema_hash,
    mode: row.mode,
    model: row.model,
    dialect: row.dialect,
    ...receiptJson(row),
    duration_ms: row.duration_ms,
    message_id: row.message_id,
    created_at: toTime(row.created_at),
    started_at: row.started_at === null ? null : toTime(row.started_at),
    ended_at: row.ended_at === null ? null : toTime(row.ended_at),
  } satisfies Readonly<Record<Exclude<keyof Receipt, 'error' | 'attempts' | 'usage'>, unknown>>;
  const known = Object.entries(facts).filter(
    ([name, value]) => value !== undefined && (value !== null || name === 'value'),
  );
  return parseStored(toZod(receipt), Object.fromEntries(known));
}
