/** Owns how records become what a client reads: snake_case, ISO times, and nothing that is between the server and its models. */
import type { Usage } from '../../errors/usage.ts';
import type { MessagePart } from '../contract/parts.ts';
import type { ReceiptUsage } from '../contract/receipt.ts';
import type { ChatErrorView, ChatView } from '../contract/wire/chat-wire.ts';
import type { MessageView, QueuedView } from '../contract/wire/message-wire.ts';
import type { NewMessage } from '../state/append-messages.ts';
import type { Chat, ChatError, Message, QueuedMessage } from '../state/chat-records.ts';

/** Shows a chat. */
export function toChatView(chat: Chat): ChatView {
  return {
    id: chat.id,
    title: chat.title,
    status: chat.status,
    model: chat.model,
    plan_mode: chat.planMode,
    ...(chat.systemPrompt !== undefined && { system_prompt: chat.systemPrompt }),
    tools: chat.dynamicTools,
    settings: chat.settings,
    ...(chat.parentId !== undefined && { parent_chat_id: chat.parentId }),
    queue_length: chat.queueLength,
    ...(chat.requestId !== undefined && { request_id: chat.requestId }),
    ...(chat.error !== undefined && { error: toErrorView(chat.error) }),
    ...(chat.actionDeadline !== undefined && { action_deadline: toTime(chat.actionDeadline) }),
    version: chat.version,
    created_at: toTime(chat.createdAt),
    updated_at: toTime(chat.updatedAt),
  };
}

/** Shows why a chat stands still. */
export function toErrorView({ kind, message, isRetryable, statusCode }: ChatError): ChatErrorView {
  return {
    kind,
    message,
    is_retryable: isRetryable,
    ...(statusCode !== undefined && { status_code: statusCode }),
  };
}

/** Shows a message. */
export function toMessageView(message: Message): MessageView {
  const { id, chatId, role, parts, requestId, planMode, isCompressed, step, createdAt } = message;
  return {
    id,
    chat_id: chatId,
    role,
    content: parts.map(toPartView),
    ...(requestId !== undefined && { request_id: requestId }),
    ...(planMode !== undefined && { plan_mode: planMode }),
    is_compressed: isCompressed,
    ...(step !== undefined && {
      model: step.model,
      finish_reason: step.finishReason,
      usage: toUsageView(step.usage),
    }),
    created_at: toTime(createdAt),
  };
}

/** Shows a queued message. */
export function toQueuedView({
  id,
  chatId,
  parts,
  requestId,
  planMode,
  createdAt,
}: QueuedMessage): QueuedView {
  return {
    id,
    chat_id: chatId,
    content: parts.map(toPartView),
    ...(requestId !== undefined && { request_id: requestId }),
    ...(planMode !== undefined && { plan_mode: planMode }),
    created_at: toTime(createdAt),
  };
}

/** A message that was just accepted, as reading it back would show it. */
export interface AcceptedMessage {
  readonly id: number;
  readonly chat: Chat;
  readonly message: NewMessage;
}

/** Shows a message that was just accepted into the queue. */
export function toAcceptedQueued({
  id,
  chat,
  message: { parts, request, planMode },
}: AcceptedMessage): QueuedView {
  return toQueuedView({
    id,
    chatId: chat.id,
    parts: request === undefined ? parts : [...parts, request.format],
    ...(request !== undefined && { requestId: request.format.request_id }),
    ...(planMode !== undefined && { planMode }),
    createdAt: chat.updatedAt,
  });
}

/** Shows a message that was just accepted into the history. */
export function toAcceptedMessage(accepted: AcceptedMessage): MessageView {
  return { ...toAcceptedQueued(accepted), role: 'user', is_compressed: false };
}

/** Writes a time. */
export function toTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Providers' own words about a part go back to them, and to nobody else. */
function toPartView(part: MessagePart): MessagePart {
  if (!('provider_metadata' in part)) return part;
  const { provider_metadata: _metadata, ...rest } = part;
  return rest;
}

function toUsageView(usage: Usage): ReceiptUsage {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_creation_input_tokens: usage.cacheCreationInputTokens,
    cache_read_input_tokens: usage.cacheReadInputTokens,
    ...(usage.costUsd !== undefined && { cost_usd: usage.costUsd }),
  };
}
