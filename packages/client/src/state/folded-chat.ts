/** State of a chat, folded from its events: the one fold of hooks and console. Pure. */
import { envelope, valueIn } from '@truecast/core/internal/output/judge/judged';
import { parseBoundedJson } from '@truecast/core/internal/json/bounded-json';
import { previewJson } from '@truecast/core/internal/output/scan/preview-json';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import type { ChatErrorView, ChatStatus } from '../wire/chat.ts';
import type { MessageView, QueuedView } from '../wire/message.ts';
import type { Receipt } from '../wire/receipt.ts';
import type {
  ActionRequiredEvent,
  ChatStreamEvent,
  PartEvent,
  RetryEvent,
  StatusEvent,
} from '../wire/stream-event.ts';

/** A part of the message that the model is writing. Its row replaces it. */
export interface PreviewPart {
  readonly kind: PartEvent['kind'];
  readonly text: string;
  readonly toolName?: string;
}

/** Text of an answer that the model is writing. It is parsed only when its value is read. */
interface AnswerText {
  readonly requestId: string;
  readonly kind: PartEvent['kind'];
  readonly text: string;
}

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
  /** All parts of the message that the model is writing. */
  readonly preview: readonly PreviewPart[];
  /** Undefined until the first event. */
  readonly status?: ChatStatus;
  /** Why the chat has the status `error`. */
  readonly chatError?: ChatErrorView;
  /** Calls for which the chat waits. */
  readonly toolCalls: ActionRequiredEvent['tool_calls'];
  /** The event that named them, with its deadline. */
  readonly action?: ActionRequiredEvent;
  /** The failed call of the model that is repeated. */
  readonly retry?: RetryEvent;
  /** The answer that is being written, in a stream with `partials: 'text'`. */
  readonly answer?: AnswerText;
}

export const EMPTY_CHAT: FoldedChat = {
  messages: [],
  queue: [],
  receipts: {},
  drafts: {},
  text: '',
  preview: [],
  toolCalls: [],
};

export function foldChatEvent(state: FoldedChat, event: ChatStreamEvent): FoldedChat {
  switch (event.type) {
    case 'message':
      return { ...withoutPreview(withoutRetry(state)), messages: withMessage(state.messages, event.message) };
    case 'history_reset': {
      const isLeft = ({ id }: MessageView): boolean => !event.deleted_message_ids.includes(id);
      return { ...state, text: '', preview: [], messages: state.messages.filter(isLeft) };
    }
    case 'receipt':
      return withReceipt(state, event.receipt);
    case 'queue_update':
      return { ...state, queue: event.queued_messages };
    case 'status':
      return withStatus(state, event);
    case 'action_required':
      return { ...state, action: event, toolCalls: event.tool_calls };
    case 'part':
      return withPart(withoutRetry(state), event);
    case 'partial':
      return { ...state, drafts: { ...state.drafts, [event.request_id]: event.value } };
    case 'preview_reset':
      return { ...withoutPreview(state), drafts: {} };
    case 'retry':
      return { ...state, retry: event };
    default:
      return event satisfies never;
  }
}

/** Returns the growing value of a request, not validated. Undefined before its first part. @internal */
export function draftOf({ answer, drafts }: FoldedChat, requestId: string): unknown {
  if (answer?.requestId !== requestId) return drafts[requestId];
  const read = previewJson(answer.text);
  return (answer.kind === 'text' ? read : valueIn(read)) ?? drafts[requestId];
}

/** Events come in order, except after a lost connection. */
function withMessage(messages: readonly MessageView[], message: MessageView): readonly MessageView[] {
  if ((messages.at(-1)?.id ?? 0) < message.id) return [...messages, message];
  const others = messages.filter(({ id }) => id !== message.id);
  return [...others, message].sort((one, other) => one.id - other.id);
}

/** In a stream with `values: 'once'`, a validated value is only the text of its receipt. */
function withReceipt(state: FoldedChat, received: Receipt): FoldedChat {
  const { value_text: text, value } = received;
  const isAdded = text !== undefined && value === undefined;
  const parsed = isAdded ? parseBoundedJson(text) : undefined;
  // Parsed JSON is a JSON value.
  const receipt = parsed?.success === true ? { ...received, value: parsed.value as JsonValue } : received;
  return {
    ...state,
    messages: isAdded ? withSubmission(state.messages, text) : state.messages,
    receipts: { ...state.receipts, [receipt.request_id]: receipt },
  };
}

/** Completes the accepted submission, which the stream sent without its value. */
function withSubmission(messages: readonly MessageView[], valueText: string): readonly MessageView[] {
  const results = messages.findLast(({ role }) => role === 'tool')?.content ?? [];
  const accepted = results.find((part) => part.type === 'tool_result' && part.attempt?.code === 'ok');
  if (accepted?.type !== 'tool_result') return messages;
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const args = envelope(valueText);
  return messages.map((message, index) => {
    if (index !== at) return message;
    const content = message.content.map((part) =>
      part.type === 'tool_call' && part.tool_call_id === accepted.tool_call_id ? { ...part, args } : part,
    );
    return { ...message, content };
  });
}

function withStatus(state: FoldedChat, { status, error }: StatusEvent): FoldedChat {
  const { chatError: _previous, action, toolCalls, retry, ...rest } = state;
  const isPaused = status === 'requires_action';
  return {
    ...rest,
    status,
    ...(status === 'waiting' && { text: '', preview: [] }),
    toolCalls: isPaused ? toolCalls : [],
    ...(isPaused && action !== undefined && { action }),
    ...(status === 'running' && retry !== undefined && { retry }),
    ...(error !== undefined && { chatError: error }),
  };
}

function withPart(state: FoldedChat, event: PartEvent): FoldedChat {
  const { kind, delta, request_id: requestId } = event;
  const preview = withDelta(state.preview, event);
  if (requestId === undefined) {
    return { ...state, preview, text: state.text + (kind === 'text' ? delta : '') };
  }
  const before = event.offset === 0 ? '' : (state.answer?.text ?? '');
  // After a lost piece, the text stays unchanged.
  if (event.offset !== before.length) return { ...state, preview };
  return { ...state, preview, answer: { requestId, kind, text: before + delta } };
}

function withDelta(preview: readonly PreviewPart[], event: PartEvent): readonly PreviewPart[] {
  const { kind, delta, tool_name: toolName } = event;
  const last = preview.at(-1);
  if (last?.kind === kind && toolName === undefined) {
    return [...preview.slice(0, -1), { ...last, text: last.text + delta }];
  }
  return [...preview, { kind, text: delta, ...(toolName !== undefined && { toolName }) }];
}

/** A committed step replaces its preview. */
function withoutPreview({ answer: _answer, ...state }: FoldedChat): FoldedChat {
  return { ...state, text: '', preview: [] };
}

/** The model answers again: the repeated call has ended. */
function withoutRetry({ retry: _retry, ...state }: FoldedChat): FoldedChat {
  return state;
}
