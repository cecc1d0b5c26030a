/** State of one chat on the page: a pure fold over the events of its stream. */
import { envelope, valueIn } from '@truecast/core/internal/output/judge/envelope';
import { parseJson } from '@truecast/core/internal/output/json/parse-json';
import type { JsonValue } from '@truecast/core/internal/schema/json-value';
import { previewJson } from '@truecast/core/internal/output/json/preview-json';
import type { ChatStatus, ChatStreamEvent, MessageView, QueuedView, Receipt } from '@truecast/client';

type EventOf<T extends ChatStreamEvent['type']> = Extract<ChatStreamEvent, { readonly type: T }>;

/** Text that a model is writing. Removed when its message is committed. */
export interface PreviewPart {
  readonly kind: EventOf<'part'>['kind'];
  readonly text: string;
  readonly toolName?: string;
}

/** Raw text of an answer. It is parsed once per frame instead of once per event. */
export interface AnswerText {
  readonly requestId: string;
  readonly kind: EventOf<'part'>['kind'];
  readonly text: string;
}

/** Everything that a chat's page shows. */
export interface ChatState {
  readonly isLoaded: boolean;
  readonly messages: readonly MessageView[];
  /** Receipts by request id. */
  readonly receipts: Readonly<Record<string, Receipt>>;
  /** Unvalidated values by request id. */
  readonly drafts: Readonly<Record<string, unknown>>;
  /** The answer that is being written, as raw text. */
  readonly answer?: AnswerText;
  readonly preview: readonly PreviewPart[];
  readonly queue: readonly QueuedView[];
  readonly status: ChatStatus;
  readonly requestId?: string;
  readonly error?: EventOf<'status'>['error'];
  readonly retry?: EventOf<'retry'>;
  readonly action?: EventOf<'action_required'>;
}

/** State before the first event. */
export const NO_CHAT: ChatState = {
  isLoaded: false,
  messages: [],
  receipts: {},
  drafts: {},
  preview: [],
  queue: [],
  status: 'waiting',
};

/** Applies one event. */
export function foldEvent(state: ChatState, event: ChatStreamEvent): ChatState {
  switch (event.type) {
    case 'message':
      // A committed step ends the draft, and the next attempt begins with an empty one.
      return withoutDraft(withMessage(withoutRetry(state), event.message));
    case 'history_reset':
      return {
        ...state,
        preview: [],
        messages: state.messages.filter(({ id }) => !event.deleted_message_ids.includes(id)),
      };
    case 'receipt': {
      const receipt = withValue(event.receipt);
      return {
        ...state,
        messages: withAnswerOf(receipt, state.messages),
        receipts: { ...state.receipts, [receipt.request_id]: receipt },
      };
    }
    case 'queue_update':
      return { ...state, queue: event.queued_messages };
    case 'status':
      return withStatus(state, event);
    case 'action_required':
      return { ...state, action: event };
    case 'retry':
      return { ...state, retry: event };
    case 'part':
      return { ...withoutRetry(withAnswer(state, event)), preview: withDelta(state.preview, event) };
    case 'partial':
      return { ...state, drafts: { ...state.drafts, [event.request_id]: event.value } };
    default:
      return withoutDraft(state);
  }
}

/**
 * Adds the value of a receipt. The stream contains a validated value only once, as the text of its
 * receipt.
 */
function withValue(receipt: Receipt): Receipt {
  if (receipt.value_text === undefined || receipt.value !== undefined) return receipt;
  const parsed = parseJson(receipt.value_text);
  // Parsed JSON is a JSON value.
  return parsed.success ? { ...receipt, value: parsed.value as JsonValue } : receipt;
}

/** Completes the accepted submission, which the stream sends without its value. */
function withAnswerOf({ value_text }: Receipt, messages: readonly MessageView[]): readonly MessageView[] {
  const results = messages.findLast(({ role }) => role === 'tool')?.content ?? [];
  const accepted = results.find((part) => part.type === 'tool_result' && part.attempt?.code === 'ok');
  if (value_text === undefined || accepted?.type !== 'tool_result') return messages;
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const args = envelope(value_text);
  return messages.map((message, index) => {
    if (index !== at) return message;
    const content = message.content.map((part) =>
      part.type === 'tool_call' && part.tool_call_id === accepted.tool_call_id ? { ...part, args } : part,
    );
    return { ...message, content };
  });
}

/** Adds a piece of the answer. After a lost piece, the text stays unchanged. */
function withAnswer(state: ChatState, { kind, delta, request_id, offset }: EventOf<'part'>): ChatState {
  const before = offset === 0 ? '' : (state.answer?.text ?? '');
  if (request_id === undefined || offset !== before.length) return state;
  return { ...state, answer: { requestId: request_id, kind, text: before + delta } };
}

/** Returns the unvalidated value of a request. Undefined before its first part. */
export function draftOf({ answer, drafts }: ChatState, requestId: string): unknown {
  if (answer?.requestId !== requestId) return drafts[requestId];
  const read = previewJson(answer.text);
  const value = answer.kind === 'text' ? read : valueIn(read);
  return value ?? drafts[requestId];
}

/** Returns the state without the text that a model was writing. */
function withoutDraft({ answer: _answer, ...state }: ChatState): ChatState {
  return { ...state, preview: [], drafts: {} };
}

/** The model answers again, so the repeated call is no longer awaited. */
function withoutRetry(state: ChatState): ChatState {
  if (state.retry === undefined) return state;
  const { retry: _retry, ...rest } = state;
  return rest;
}

function withMessage(state: ChatState, message: MessageView): ChatState {
  const last = state.messages.at(-1);
  if (last === undefined || last.id < message.id) {
    return { ...state, isLoaded: true, messages: [...state.messages, message] };
  }
  const others = state.messages.filter(({ id }) => id !== message.id);
  return { ...state, isLoaded: true, messages: [...others, message].sort((a, b) => a.id - b.id) };
}

function withStatus(state: ChatState, { status, request_id, error }: EventOf<'status'>): ChatState {
  const { requestId: _request, error: _error, action, retry, ...rest } = state;
  return {
    ...rest,
    isLoaded: true,
    status,
    ...(status === 'waiting' && { preview: [] }),
    ...(status === 'requires_action' && action !== undefined && { action }),
    ...(status === 'running' && retry !== undefined && { retry }),
    ...(request_id !== undefined && { requestId: request_id }),
    ...(error !== undefined && { error }),
  };
}

function withDelta(preview: readonly PreviewPart[], event: EventOf<'part'>): readonly PreviewPart[] {
  const last = preview.at(-1);
  const isNew = last === undefined || last.kind !== event.kind || event.tool_name !== undefined;
  if (!isNew) return [...preview.slice(0, -1), { ...last, text: last.text + event.delta }];
  const { kind, delta, tool_name: toolName } = event;
  return [...preview, { kind, text: delta, ...(toolName !== undefined && { toolName }) }];
}
