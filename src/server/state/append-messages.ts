/** Owns adding messages to the history of a chat that is being changed. */
import { rowChunks } from '../../store/row-chunks.ts';
import type { MessagePart, ResponseFormatPart } from '../contract/parts.ts';
import type { MessageRow } from '../contract/rows.ts';
import type { ChatUpdate } from './chat-update.ts';

/** A message of a user's. */
export interface NewMessage {
  readonly parts: readonly MessagePart[];
  /** What its answer must be; becomes a part of the message, and opens a request. */
  readonly request?: { readonly format: ResponseFormatPart; readonly schemaHash: string };
  /** The user's own choice for this turn, where it is not the chat's. */
  readonly planMode?: boolean;
}

/** A message that the server commits: what a model said, what tools gave, or what a model is told. */
export interface StepMessage {
  readonly role: MessageRow['role'];
  readonly parts: readonly MessagePart[];
  /** @default 'all' */
  readonly visibility?: MessageRow['visibility'];
  readonly step?: MessageRow['step'];
  /** Made by a compaction. @default false */
  readonly isCompressed?: boolean;
}

/** What one message row is made of. */
export interface MessageDraft extends StepMessage {
  readonly requestId?: string;
  readonly planMode?: boolean;
}

/** Adds messages at the end of the history. Returns their ids. */
export async function appendMessages(update: ChatUpdate, drafts: readonly MessageDraft[]): Promise<number[]> {
  if (drafts.length === 0) return [];
  const { db, next, revision, now } = update;
  const rows = drafts.map((draft, index) => ({
    chat_id: next.id,
    id: next.next_message_id + index,
    role: draft.role,
    parts: JSON.stringify(draft.parts),
    visibility: draft.visibility ?? 'all',
    compressed: draft.isCompressed === true ? (1 as const) : (0 as const),
    deleted: 0 as const,
    revision,
    request_id: draft.requestId ?? null,
    plan_mode: toFlag(draft.planMode),
    step: draft.step === undefined ? null : JSON.stringify(draft.step),
    created_at: now,
  }));
  for (const chunk of rowChunks(rows)) await db.insertInto('chat_messages').values(chunk).execute();
  next.next_message_id += rows.length;
  markHistory(update);
  return rows.map(({ id }) => id);
}

/** Says that the history is another one: attempts are counted anew. */
export function markHistory({ next, revision }: ChatUpdate): void {
  next.history_version = revision;
  next.attempt = 0;
  next.retry = null;
}

/** The parts of a user's message as they are stored. */
export function partsOf({ parts, request }: NewMessage): MessagePart[] {
  return request === undefined ? [...parts] : [...parts, request.format];
}

/** A truth that may be missing, as a column holds it. */
export function toFlag(value: boolean | undefined): 0 | 1 | null {
  if (value === undefined) return null;
  return value ? 1 : 0;
}
