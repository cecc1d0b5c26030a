/**
 * Chunks of one turn: the events of a chat become one assistant's message. Pure.
 *
 * start → (start-step → preview → reset-step → committed parts → finish-step → data-refused)* →
 * data-receipt → finish, or error
 */
import type { ReceivedEvent } from '../chat-events.ts';
import { isFinal } from '../answer/open-receipt.ts';
import { attemptReader, type TakeMessage } from '../refused-attempts.ts';
import type { FinishReason, MessageView } from '../wire/message.ts';
import type { Receipt } from '../wire/receipt.ts';
import type { ActionRequiredEvent, ChatStreamEvent, StatusEvent } from '../wire/stream-event.ts';
import { StepChunks } from './step-chunks.ts';
import { readInput } from './tool-parts.ts';
import { answerMessageId, refusedParts, type TruecastChunk } from './ui-message.ts';

/** The user's message that began the turn: a row, or a queued message that becomes one. */
export type FirstMessage =
  | { readonly type: 'row'; readonly id: number }
  | { readonly type: 'queued'; readonly id: number; readonly isSame: (row: MessageView) => boolean };

export interface FollowedTurn {
  readonly chatId: string;
  readonly message: FirstMessage;
  /** Id of the answer, if the events begin after the user's message. */
  readonly continues?: string;
  readonly requestId?: string;
  /** Refused attempts before the first event. @default 0 */
  readonly refusedBefore?: number;
  /** Names of the tools that the client runs. */
  readonly clientTools: ReadonlySet<string>;
}

/** Converts events to chunks until the turn ends. */
export class TurnChunks {
  readonly #start: FollowedTurn;
  readonly #step: StepChunks;
  readonly #refusedIn: TakeMessage;
  #hasBegun = false;
  #rowId: number | undefined;
  #requestId: string | undefined;
  #lastRowId = 0;
  #isInterrupted = false;
  /** A turn without a row was stopped before its first step. */
  #finishReason: FinishReason = 'interrupted';
  #receipt: Receipt | undefined;
  #isEnded = false;

  constructor(start: FollowedTurn) {
    this.#start = start;
    this.#step = new StepChunks(start.clientTools);
    this.#refusedIn = attemptReader(start.refusedBefore);
    this.#rowId = start.message.type === 'row' ? start.message.id : undefined;
    this.#requestId = start.requestId;
  }

  /** True after the last chunk. Later events belong to other turns. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  push({ event, id }: ReceivedEvent): TruecastChunk[] {
    if (this.#isEnded) return [];
    const begun = this.#start.continues !== undefined && !this.#hasBegun ? this.#begin() : [];
    return [...begun, ...(this.#hasBegun ? this.#onEvent(event, id) : this.#onEarlierEvent(event))];
  }

  /** Before the turn: waits for the row of the user's message. */
  #onEarlierEvent(event: ChatStreamEvent): TruecastChunk[] {
    const { message } = this.#start;
    if (event.type === 'message' && event.message.role === 'user') {
      const isOurs = message.type === 'row' ? event.message.id === message.id : message.isSame(event.message);
      if (!isOurs) return [];
      this.#rowId = event.message.id;
      this.#requestId ??= event.message.request_id;
      return this.#begin();
    }
    const isRemoved =
      (event.type === 'history_reset' &&
        message.type === 'row' &&
        event.deleted_message_ids.includes(message.id)) ||
      (event.type === 'queue_update' &&
        message.type === 'queued' &&
        !event.queued_messages.some(({ id }) => id === message.id));
    return isRemoved ? this.#end({ type: 'abort', reason: 'The message was removed.' }) : [];
  }

  #begin(): TruecastChunk[] {
    this.#hasBegun = true;
    const rowId = this.#rowId ?? 0;
    this.#lastRowId = rowId;
    const messageId = this.#start.continues ?? answerMessageId(rowId);
    return [{ type: 'start', messageId, messageMetadata: { chatId: this.#start.chatId } }];
  }

  #onEvent(event: ChatStreamEvent, id: string | undefined): TruecastChunk[] {
    switch (event.type) {
      case 'message':
        return this.#onRow(event.message);
      case 'history_reset':
        return event.deleted_message_ids.includes(this.#rowId ?? 0) ? this.#finish('interrupted') : [];
      case 'receipt':
        if (event.receipt.request_id === this.#requestId && isFinal(event.receipt)) {
          this.#receipt = event.receipt;
        }
        return [];
      case 'status':
        return this.#onStatus(event);
      case 'action_required':
        return this.#onActionRequired(event, id);
      case 'retry':
        return [{ type: 'data-retry', data: event, transient: true }];
      case 'part':
        return this.#step.part(event);
      case 'partial': {
        if (event.request_id !== this.#requestId) return [];
        const chunk = { type: 'data-partial', id: `partial-${event.request_id}`, data: event.value } as const;
        return this.#step.preview(chunk);
      }
      case 'preview_reset':
        return this.#step.reset();
      case 'queue_update':
        return [];
      default:
        return event satisfies never;
    }
  }

  #onRow(message: MessageView): TruecastChunk[] {
    if (message.id <= this.#lastRowId) return [];
    // The queue's next message: its turn follows without a pause.
    if (message.role === 'user') return message.id > (this.#rowId ?? 0) ? this.#finish() : [];
    this.#lastRowId = message.id;
    const refused = refusedParts(message, this.#refusedIn(message));
    if (message.role === 'tool') {
      this.#isInterrupted = message.content.some(
        (part) => part.type === 'tool_result' && STOPPED.has(part.synthetic),
      );
      return [...this.#step.results(message), ...refused];
    }
    const chunks = this.#step.row(message);
    if (chunks.length > 0) {
      this.#finishReason = message.finish_reason ?? 'other';
      this.#isInterrupted = message.finish_reason === 'interrupted';
    }
    return [...chunks, ...refused];
  }

  #onStatus({ status, error }: StatusEvent): TruecastChunk[] {
    if (status === 'waiting') return this.#finish();
    if (status !== 'error') return [];
    const errorText = error?.message ?? 'The turn failed. Send the message again.';
    return this.#end({ type: 'error', errorText });
  }

  /** A waiting chat is reported again after each change, such as a queued message. */
  #onActionRequired({ tool_calls }: ActionRequiredEvent, cursor: string | undefined): TruecastChunk[] {
    const awaiting = tool_calls.map(({ tool_call_id }) => tool_call_id);
    const calls = tool_calls.map(({ tool_call_id: toolCallId, tool_name: toolName, args }) => {
      const input = readInput(args);
      return { type: 'tool-input-available', toolCallId, toolName, input } as const;
    });
    const messageMetadata = { awaiting, ...(cursor !== undefined && { cursor }) };
    return [...calls, ...this.#end({ type: 'finish', finishReason: 'tool-calls', messageMetadata })];
  }

  #finish(ended?: 'interrupted'): TruecastChunk[] {
    const reason = this.#isInterrupted ? 'interrupted' : (ended ?? FINISHES[this.#finishReason] ?? 'other');
    return this.#end({ type: 'finish', finishReason: reason, messageMetadata: { awaiting: [] } });
  }

  #end(last: TruecastChunk): TruecastChunk[] {
    this.#isEnded = true;
    const receipt = this.#receipt;
    return [
      ...this.#step.close(),
      ...(receipt === undefined
        ? []
        : [{ type: 'data-receipt', id: receipt.request_id, data: receipt } as const]),
      last,
    ];
  }
}

/** Reasons of results after which `useChat` must not send tool outputs. */
const STOPPED: ReadonlySet<string | undefined> = new Set(['interrupted', 'canceled', 'deadline']);

const FINISHES: Readonly<
  Record<FinishReason, 'stop' | 'length' | 'content-filter' | 'error' | 'interrupted' | 'other'>
> = {
  stop: 'stop',
  // The last call was the accepted answer.
  tool_calls: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  runaway: 'length',
  error: 'error',
  interrupted: 'interrupted',
  other: 'other',
};
