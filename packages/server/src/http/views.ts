/** Wire views of records: snake_case, ISO times, and no server-internal data. */
import { view } from '@truecast/core/internal/shape/view';
import type { RowPart } from '../contract/rows.ts';
import type { AccessToken } from '../contract/access-tokens.ts';
import { toReceiptUsage } from '../contract/receipt.ts';
import type { TokenView } from '@truecast/client/internal/wire/account';
import type {
  ChatErrorView,
  ChatSummaryView,
  ChatView,
  ListedChatView,
} from '@truecast/client/internal/wire/chat';
import type { MessageView, QueuedView } from '@truecast/client/internal/wire/message';
import type { RequestView } from '@truecast/client/internal/wire/request';
import { toTime } from '../contract/to-time.ts';
import type { NewMessage } from '../state/rows/append-messages.ts';
import type { ListedChat } from '../state/lists/chat-list.ts';
import { PREVIEW_CHARS, type ListedRequest, type RequestEvidence } from '../state/lists/listed-request.ts';
import type { Chat, ChatError, Message, QueuedMessage } from '../state/rows/chat-records.ts';

export function toChatView(chat: Chat): ChatView {
  return view<ChatView>({
    id: chat.id,
    client_id: chat.clientId,
    title: chat.title,
    status: chat.status,
    model: chat.model,
    plan_mode: chat.planMode,
    system_prompt: chat.systemPrompt,
    tools: chat.dynamicTools,
    settings: chat.settings,
    labels: Object.keys(chat.labels).length > 0 ? chat.labels : undefined,
    parent_chat_id: chat.parentId,
    queue_length: chat.queueLength,
    request_id: chat.requestId,
    error: chat.error && toErrorView(chat.error),
    action_deadline: timeOf(chat.actionDeadline),
    version: chat.version,
    turn_version: chat.turnVersion,
    created_at: toTime(chat.createdAt),
    updated_at: toTime(chat.updatedAt),
  });
}

export function toListedChatView({ valuePreview, lastRequest, ...chat }: ListedChat): ListedChatView {
  const { receipt } = lastRequest ?? {};
  return {
    ...toChatView(chat),
    ...(valuePreview !== undefined && { value_preview: toPreview(valuePreview) }),
    ...(receipt !== undefined && {
      ...(receipt.status === 'failed' && receipt.error !== undefined && { last_failure: receipt.error }),
      last_request_status: receipt.status,
      last_request_id: receipt.request_id,
      attempt_count: receipt.attempts.length,
      ...(receipt.duration_ms !== undefined && { duration_ms: receipt.duration_ms }),
      ...(receipt.usage?.cost_usd !== undefined && { cost_usd: receipt.usage.cost_usd }),
    }),
    ...toEvidence(lastRequest?.evidence),
  };
}

function toEvidence({ firstIssue, question }: RequestEvidence = {}): Pick<
  RequestView,
  'first_issue' | 'question_preview'
> {
  return {
    ...(firstIssue !== undefined && { first_issue: firstIssue }),
    ...(question !== undefined && { question_preview: question }),
  };
}

function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : toTime(ms);
}

/** A database counts characters, so its text can be longer than a preview. */
function toPreview(text: string): string {
  return text.slice(0, PREVIEW_CHARS).toWellFormed();
}

export function toErrorView({ kind, message, isRetryable, statusCode }: ChatError): ChatErrorView {
  return view<ChatErrorView>({
    kind,
    message,
    is_retryable: isRetryable,
    status_code: statusCode,
  });
}

export function toMessageView(message: Message): MessageView {
  const { id, clientId, chatId, role, parts, requestId, planMode, isCompressed, step, createdAt } = message;
  return view<MessageView>({
    id,
    client_id: clientId,
    chat_id: chatId,
    role,
    content: parts.map(toPartView),
    request_id: requestId,
    plan_mode: planMode,
    is_compressed: isCompressed,
    model: step?.model,
    finish_reason: step?.finishReason,
    attempt: step?.attempt,
    usage: step?.usage && toReceiptUsage(step.usage),
    started_at: timeOf(step?.startedAt),
    first_token_at: timeOf(step?.firstTokenAt),
    created_at: toTime(createdAt),
  });
}

export function toQueuedView({
  id,
  clientId,
  chatId,
  parts,
  requestId,
  planMode,
  createdAt,
}: QueuedMessage): QueuedView {
  return view<QueuedView>({
    id,
    client_id: clientId,
    chat_id: chatId,
    content: parts.map(toPartView),
    request_id: requestId,
    plan_mode: planMode,
    created_at: toTime(createdAt),
  });
}

/** A newly accepted message, equal to a later read. */
export interface AcceptedMessage {
  readonly id: number;
  readonly chat: Chat;
  readonly message: NewMessage;
}

/** View of a message newly accepted into the queue. */
export function toAcceptedQueued({
  id,
  chat,
  message: { parts, request, planMode, clientId },
}: AcceptedMessage): QueuedView {
  return toQueuedView({
    id,
    chatId: chat.id,
    parts: request === undefined ? parts : [...parts, request.format],
    ...(request !== undefined && { requestId: request.format.request_id }),
    ...(planMode !== undefined && { planMode }),
    ...(clientId !== undefined && { clientId }),
    createdAt: chat.updatedAt,
  });
}

/** View of a message newly accepted into the history. */
export function toAcceptedMessage(accepted: AcceptedMessage): MessageView {
  return { ...toAcceptedQueued(accepted), role: 'user', is_compressed: false };
}

/**
 * View of a request without its value. With `hasPreview`, it contains the beginning of the value.
 */
export function toRequestView({
  receipt,
  chatId,
  createdAt,
  valuePreview,
  evidence,
}: Pick<ListedRequest, 'receipt' | 'chatId' | 'createdAt' | 'valuePreview' | 'evidence'>): RequestView {
  const { value: _value, value_text: _text, ...facts } = receipt;
  return {
    ...facts,
    chat_id: chatId,
    ...(valuePreview !== undefined && { value_preview: toPreview(valuePreview) }),
    ...toEvidence(evidence),
    created_at: toTime(createdAt),
  };
}

/** View of a chat without its tools and settings. */
export function toChatSummary(chat: Chat): ChatSummaryView {
  const { tools: _tools, settings: _settings, ...summary } = toChatView(chat);
  return summary;
}

/** Removes provider metadata of a part, which is only for the provider. */
function toPartView(part: RowPart): RowPart {
  if (!('provider_metadata' in part)) return part;
  const { provider_metadata: _metadata, ...rest } = part;
  return rest;
}

export function toTokenView({
  id,
  owner,
  name,
  scopes,
  createdAt,
  expiresAt,
  revokedAt,
}: AccessToken): TokenView {
  return view<TokenView>({
    id,
    owner,
    name,
    scopes,
    created_at: toTime(createdAt),
    expires_at: timeOf(expiresAt),
    revoked_at: timeOf(revokedAt),
  });
}
