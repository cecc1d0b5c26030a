/** Durable events of a chat since a cursor, in order, each with its following cursor. */
import { toTime } from '../../contract/to-time.ts';
import type { DurableEvent } from '@truecast/client/internal/wire/stream-event';
import type { ChatMachine } from '../../state/chat-machine.ts';
import type { Chat } from '../../state/rows/chat-records.ts';
import type { ChatChanges, PagePosition } from '../../state/lists/changes-since.ts';
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

/** A page of unsent events, and the position after them. */
export interface EventBatch {
  readonly events: readonly ToldEvent[];
  readonly cursor: StreamCursor;
  readonly chat: Chat;
  /** True if more events follow. */
  readonly isCut: boolean;
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

/** Reads a page of unsent events. Undefined without any. */
export async function readEvents(
  machine: ChatMachine,
  owned: StreamedChat,
  cursor: StreamCursor,
): Promise<EventBatch | undefined> {
  const { position } = cursor;
  const changes = await machine.changesSince({
    ...owned,
    version: cursor.base,
    after: toPage(position),
    deletionsAfter: cursor.deletionsTold,
  });
  if (changes === undefined) return undefined;
  const { chat, deletedIds } = changes;
  const end = changes.end && toPosition(changes.end);
  const events: ToldEvent[] = [];
  let told: StreamCursor = { ...cursor, deletionsTold: chat.version };
  // A stream from the start has not sent any message that was deleted.
  if (deletedIds.length > 0 && position.revision > 0) {
    const event = { type: 'history_reset', deleted_message_ids: deletedIds } as const;
    events.push({ event, id: writeCursor(told) });
  }
  const placed = await placeEvents(machine, owned, changes);
  const untold = placed.filter(
    (each) =>
      comparePositions(each.position, position) > 0 &&
      (end === undefined || comparePositions(each.position, end) <= 0),
  );
  for (const [index, { event, position: at }] of untold.entries()) {
    const isLast = end === undefined && index === untold.length - 1;
    told = isLast ? cursorAt(chat.version) : { ...told, position: at };
    events.push({ event, id: writeCursor(told) });
  }
  const next = end === undefined ? cursorAt(chat.version) : { ...told, position: end };
  return { events, cursor: next, chat, isCut: end !== undefined };
}

function toPage({ revision, rank, key }: EventPosition): PagePosition {
  if (rank === EVENT_RANK.row) return { revision, messageId: Number(key), requestId: '' };
  return rank === EVENT_RANK.receipt ? { revision, requestId: key } : { revision };
}

function toPosition({ revision, messageId, requestId = '' }: PagePosition): EventPosition {
  return messageId === undefined
    ? { revision, rank: EVENT_RANK.receipt, key: requestId }
    : { revision, rank: EVENT_RANK.row, key: String(messageId) };
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
