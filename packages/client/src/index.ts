/** Exports of `@truecast/client`. Bundles for a browser. */
export type { AskOptions, AskResult, ClientChat, ClientChatOptions, Sent } from './client-chat.ts';
export type { RequestOptions, StopOptions } from './calls/call-options.ts';
export type { FollowOptions, ReceivedEvent } from './chat-events.ts';
export { tool } from './client-tools.ts';
export type { ClientTool, ClientToolContext, ClientTools } from './client-tools.ts';
export { createClient } from './create-client.ts';
export type { Client, ClientOptions } from './create-client.ts';
export { extractStructuredOutputValue } from './extract-structured-output-value.ts';
export type {
  ChatPageView,
  ChatStatus,
  ChatView,
  CreateChatBody,
  DynamicTool,
  ModelView,
  PatchChatBody,
} from './wire/chat.ts';
export type { InputPart, MessagePart } from './wire/message-parts.ts';
export type {
  EditedView,
  EditMessageBody,
  MessageBody,
  MessagePageView,
  MessageView,
  QueueView,
  QueuedView,
  SendMessageBody,
  SentView,
  ToolResultsBody,
} from './wire/message.ts';
export type { Receipt } from './wire/receipt.ts';
export type { RefusedAttempt } from './refused-attempts.ts';
export type { DryRunView, JsonSchemaFormat, ResponseFormatBody } from './wire/response-format.ts';
export type { ChatStreamEvent } from './wire/stream-event.ts';
export type { ClientRun, ContinueRunOptions, CreateRunOptions, PatchRunOptions } from './runs/client-run.ts';
export {
  Output,
  RequestEndedError,
  RunEndedError,
  ServerError,
  StructuredOutputError,
  UsageError,
} from '@truecast/core';
export type { ServerProblem } from '@truecast/core';
