/** State of a chat, folded from its events. Pure. */
import type { ChatErrorView, ChatStatus } from '../wire/chat.ts';
import type { MessageView, QueuedView } from '../wire/message.ts';
import type { Receipt } from '../wire/receipt.ts';
import type { ActionRequiredEvent, ChatStreamEvent } from '../wire/stream-event.ts';

/** A chat as its events describe it. */
export interface FoldedChat {
  /** Committed messages, oldest first. */
  readonly messages: readonly MessageView[];
  /** Queued messages in the order in which they will run. */
  readonly queue: readonly QueuedView[];
  /** Receipts by request. */
  readonly receipts: Readonly<Record<string, Receipt>>;
  /** Growing values by request, not validated. */
  readonly drafts: Readonly<Record<string, unknown>>;
  /** The text that the model is writing. */
  readonly text: string;
  /** Undefined until the first event. */
  readonly status?: ChatStatus;
  /** Why the chat has the status `error`. */
  readonly chatError?: ChatErrorView;
  /** Calls for which the chat waits. */
  readonly toolCalls: ActionRequiredEvent['tool_calls'];
}

export const EMPTY_CHAT: FoldedChat = {
  messages: [],
  queue: [],
  receipts: {},
  drafts: {},
  text: '',
  toolCalls: [],
};

/** Returns the state after an event. */
export function foldChatEvent(state: FoldedChat, event: ChatStreamEvent): FoldedChat {
  switch (event.type) {
    case 'message': {
      const others = state.messages.filter(({ id }) => id !== event.message.id);
      const messages = [...others, event.message].sort((one, other) => one.id - other.id);
      // The row of a step replaces its preview.
      return event.message.role === 'assistant' ? { ...state, messages, text: '' } : { ...state, messages };
    }
    case 'history_reset': {
      const isLeft = ({ id }: MessageView): boolean => !event.deleted_message_ids.includes(id);
      return { ...state, messages: state.messages.filter(isLeft) };
    }
    case 'receipt': {
      const { receipt } = event;
      return { ...state, receipts: { ...state.receipts, [receipt.request_id]: receipt } };
    }
    case 'queue_update':
      return { ...state, queue: event.queued_messages };
    case 'status': {
      const { chatError: _previous, ...rest } = state;
      const { status, error } = event;
      return { ...rest, status, toolCalls: [], ...(error !== undefined && { chatError: error }) };
    }
    case 'action_required':
      return { ...state, toolCalls: event.tool_calls };
    case 'part':
      if (event.kind !== 'text' || event.request_id !== undefined) return state;
      return { ...state, text: state.text + event.delta };
    case 'partial':
      return { ...state, drafts: { ...state.drafts, [event.request_id]: event.value } };
    case 'preview_reset':
      return { ...state, text: '', drafts: {} };
    case 'retry':
      return state;
    default:
      return event satisfies never;
  }
}
