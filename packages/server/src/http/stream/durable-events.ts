/** Durable events of a chat since a cursor, in order, each with its following cursor. */
import { toTime } from '../../contract/time-schema.ts';
import type { DurableEvent } from '../../contract/wire/stream-wire.ts';
import type { ChatMachine } from '../../state/chat-machine.ts';
import type { Chat } from '../../state/rows/chat-records.ts';
import type { ChatChanges } from '../../state/chat-reads.ts';
import { toErrorView, toMessageView, toQueuedView } from '../views.ts';
import {
  comparePositions,
  cursorAt,
  EVENT_RANK,
  writeCursor,
  type EventPosition,
  type StreamCursor,
} from './cursor.ts';
import { valuesOnce } from './value-once.ts';

/** An event with its resume id. */
export interface ToldEvent {
  readonly event: DurableEvent;
  readonly id: string;
}

/** Unsent events, and the position after them. */
export interface EventBatch {
  readonly events: readonly ToldEvent[];
  readonly cursor: StreamCursor;
  readonly chat: Chat;
}

/** The owner and chat to read. */
export interface StreamedChat {
  readonly owner: string;
  readonly chatId: string;
  /** `once`: only the receipt contains a validated value. */
  readonly values: ValuesForm;
}

/** How often committed events contain a validated value. */
export type ValuesForm = 'once' | 'all';

interface Placed {
  readonly event: DurableEvent;
  readonly position: EventPosition;
}

/** Reads unsent events. Undefined if there are none. */
export async function readEvents(
  machine: ChatMachine,
  owned: StreamedChat,
  cursor: StreamCursor,
): Promise<EventBatch | undefined> {
  const changes = await machine.changesSince({ ...owned, version: cursor.base });
  if (changes === undefined) return undefined;
  const { version } = changes.chat;
  const deletedIds = await newDeletions(machine, owned, cursor, changes);
  const events: ToldEvent[] = [];
  let told: StreamCursor = cursor;
  if (deletedIds.length > 0) {
    told = { ...cursor, deletionsTold: version };
    const event = { type: 'history_reset', deleted_message_ids: deletedIds } as const;
    events.push({ event, id: writeCursor(told) });
  }
  const placed = await placeEvents(machine, owned, changes);
  const untold = placed.filter(({ position }) => comparePositions(position, cursor.position) > 0);
  for (const [index, { event, position }] of untold.entries()) {
    told = index === untold.length - 1 ? cursorAt(version) : { ...told, position };
    events.push({ event, id: writeCursor(told) });
  }
  return { events, cursor: cursorAt(version), chat: changes.chat };
}

/** Ids deleted after the last sent deletions. */
async function newDeletions(
  machine: ChatMachine,
  owned: StreamedChat,
  cursor: StreamCursor,
  { deletedIds }: ChatChanges,
): Promise<readonly number[]> {
  // A stream from the start has not sent any message that was deleted.
  if (deletedIds.length === 0 || cursor.position.revision === 0) return [];
  if (cursor.deletionsTold === cursor.base) return deletedIds;
  const newer = await machine.changesSince({ ...owned, version: cursor.deletionsTold });
  return newer?.deletedIds ?? [];
}

async function placeEvents(
  machine: ChatMachine,
  owned: StreamedChat,
  { chat, messages, requests, queue }: ChatChanges,
): Promise<Placed[]> {
  const at = (rank: number): EventPosition => ({ revision: chat.version, rank, key: '' });
  const placed: Placed[] = [
    ...messages.map((message) => ({
      event: { type: 'message', message: toMessageView(message) } as const,
      position: { revision: message.revision, rank: EVENT_RANK.row, key: String(message.id) },
    })),
    ...requests.map(({ receipt, revision }) => ({
      event: { type: 'receipt', receipt } as const,
      position: { revision, rank: EVENT_RANK.receipt, key: receipt.request_id },
    })),
  ];
  if (queue !== undefined) {
    const version = chat.queueVersion;
    const event = { type: 'queue_update', version, queued_messages: queue.map(toQueuedView) } as const;
    placed.push({ event, position: { ...at(EVENT_RANK.queue), revision: version } });
  }
  placed.push({ event: statusEvent(chat), position: at(EVENT_RANK.status) });
  if (chat.status === 'requires_action') {
    placed.push({ event: await actionEvent(machine, owned, chat), position: at(EVENT_RANK.action) });
  }
  if (chat.isAwaitingRetry && chat.retry !== undefined) {
    const { attempt, delayMs, retryAt, error } = chat.retry;
    const event = {
      type: 'retry',
      attempt,
      delay_ms: delayMs,
      retry_at: toTime(retryAt),
      error: toErrorView(error),
    } as const;
    placed.push({ event, position: at(EVENT_RANK.retry) });
  }
  placed.sort((one, other) => comparePositions(one.position, other.position));
  return owned.values === 'all' ? placed : withValuesOnce(placed);
}

function withValuesOnce(placed: readonly Placed[]): Placed[] {
  const events = valuesOnce(placed.map(({ event }) => event));
  return placed.map((each, index) => ({ ...each, event: events[index] ?? each.event }));
}

function statusEvent({ status, version, requestId, error }: Chat): DurableEvent {
  return {
    type: 'status',
    status,
    version,
    ...(requestId !== undefined && { request_id: requestId }),
    ...(error !== undefined && { error: toErrorView(error) }),
  };
}

async function actionEvent(
  machine: ChatMachine,
  { chatId }: StreamedChat,
  chat: Chat,
): Promise<DurableEvent> {
  const calls = await machine.awaitedCalls(chatId);
  return {
    type: 'action_required',
    tool_calls: calls.map(({ tool_call_id, tool_name, args }) => ({ tool_call_id, tool_name, args })),
    ...(chat.actionDeadline !== undefined && { deadline: toTime(chat.actionDeadline) }),
  };
}
