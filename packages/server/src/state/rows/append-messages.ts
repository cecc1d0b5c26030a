/** Appends messages to the history of a locked chat. */
import { rowChunks } from '@truecast/store/internal/row-chunks';
import { write } from '@truecast/store/internal/write';
import type { ChatMessageRow } from '@truecast/store/internal/tables/chats';
import type { ResponseFormatPart } from '@truecast/client/internal/wire/message-parts';
import type { MessageRow, RowPart } from '../../contract/rows.ts';
import type { TraceHeaders } from '@truecast/model/internal/telemetry/traceparent';
import { refusal, type ChatUpdate } from './chat-update.ts';
import { PARTS_FORM, versionOf } from '../../contract/stored-versions.ts';

export interface NewMessage extends TraceHeaders {
  readonly parts: readonly RowPart[];
  /** Response format. It becomes a part of the message and opens a request. */
  readonly request?: { readonly format: ResponseFormatPart; readonly schemaHash: string };
  /** Plan mode for this turn, if it differs from the chat's. */
  readonly planMode?: boolean;
  /** Chosen by its client, unique within its chat. */
  readonly clientId?: string;
}

/** A message of the server: a model's reply, tool results, or feedback for the model. */
export interface StepMessage {
  readonly role: MessageRow['role'];
  readonly parts: readonly RowPart[];
  /** @default 'all' */
  readonly visibility?: MessageRow['visibility'];
  readonly step?: MessageRow['step'];
  /** True for a compaction's message. @default false */
  readonly isCompressed?: boolean;
}

export interface MessageDraft extends StepMessage {
  readonly requestId?: string;
  readonly planMode?: boolean;
  readonly clientId?: string;
  /** Stored parts, kept as they are. @default `parts` */
  readonly stored?: Pick<ChatMessageRow, 'parts' | 'parts_version'>;
}

/** Appends messages to the history. Returns their ids. */
export async function appendMessages(update: ChatUpdate, drafts: readonly MessageDraft[]): Promise<number[]> {
  if (drafts.length === 0) return [];
  const { tx, db, next } = update;
  const rows = drafts.map((draft, index) => messageRow(update, draft, next.next_message_id + index));
  for (const chunk of rowChunks(rows)) await write(tx, db.insertInto('chat_messages').values(chunk));
  next.next_message_id += rows.length;
  markHistory(update);
  return rows.map(({ id }) => id);
}

export function messageRow(
  { next, revision, now }: Pick<ChatUpdate, 'revision' | 'now'> & { readonly next: { readonly id: string } },
  draft: MessageDraft,
  id: number,
): ChatMessageRow {
  return {
    chat_id: next.id,
    id,
    role: draft.role,
    parts: draft.stored?.parts ?? JSON.stringify(draft.parts),
    parts_version: draft.stored?.parts_version ?? versionOf(PARTS_FORM),
    visibility: draft.visibility ?? 'all',
    compressed: draft.isCompressed === true ? 1 : 0,
    deleted: 0,
    revision,
    request_id: draft.requestId ?? null,
    plan_mode: toFlag(draft.planMode),
    step: draft.step === undefined ? null : JSON.stringify(draft.step),
    created_at: now,
    client_id: draft.clientId ?? null,
  };
}

/** Marks the history as changed, so that attempts are counted again. */
export function markHistory({ next, revision }: ChatUpdate): void {
  next.history_version = revision;
  next.attempt = 0;
  next.retry = null;
  next.retry_at = null;
}

/** Stored form of a user message's parts. */
export function partsOf({ parts, request }: NewMessage): RowPart[] {
  return request === undefined ? [...parts] : [...parts, request.format];
}

export function userDraft(message: NewMessage): MessageDraft {
  const { request, planMode, clientId } = message;
  return {
    role: 'user',
    parts: partsOf(message),
    ...(request !== undefined && { requestId: request.format.request_id }),
    ...(planMode !== undefined && { planMode }),
    ...(clientId !== undefined && { clientId }),
  };
}

/** Stored form of an optional boolean. */
export function toFlag(value: boolean | undefined): 0 | 1 | null {
  if (value === undefined) return null;
  return value ? 1 : 0;
}

/** Plan mode and a request end with different tools, so a turn cannot have both. */
export function assertNoPlan(update: ChatUpdate, { request, planMode }: NewMessage): void {
  if (request === undefined || !(planMode ?? update.chat.plan_mode === 1)) return;
  throw refusal(
    update,
    'plan-mode',
    'A message with a response format cannot run in plan mode. Send `plan_mode: false` with it, or leave out the format.',
  );
}
