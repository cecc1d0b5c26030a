/** Exports of `truecast/client`. Bundles for a browser. */
export { RequestEndedError } from '../errors/request-ended-error.ts';
export type { RequestEndedErrorCode, RequestEndedErrorOptions } from '../errors/request-ended-error.ts';
export { ServerError } from '../errors/server-error.ts';
export type { ServerErrorCode, ServerErrorOptions, ServerProblem } from '../errors/server-error.ts';
export { StructuredOutputError } from '../errors/structured-output-error.ts';
export { UsageError } from '../errors/usage-error.ts';
export { Output } from '../output/output.ts';
export type { AskOptions, AskResult } from '../client/ask-options.ts';
export type { FollowOptions, ReceivedEvent } from '../client/chat-events.ts';
export type {
  ClientChat,
  ClientChatOptions,
  RequestOptions,
  Sent,
  StopOptions,
} from '../client/client-chat.ts';
export { clientTool } from '../client/client-tools.ts';
export type { ClientTool, ClientToolContext, ClientTools } from '../client/client-tools.ts';
export { createClient } from '../client/create-client.ts';
export type { Client, ClientOptions } from '../client/create-client.ts';
export { extractStructuredOutputValue } from '../client/extract-structured-output-value.ts';
export type {
  ChatPageView,
  ChatStatus,
  ChatView,
  CreateChatBody,
  DynamicTool,
  ModelView,
  PatchChatBody,
} from '../client/wire/chat.ts';
export type { InputPart, MessagePart } from '../client/wire/message-parts.ts';
export type {
  EditedView,
  MessageBody,
  MessagePageView,
  MessageView,
  QueueView,
  QueuedView,
  SendMessageBody,
  SentView,
  ToolResultsBody,
} from '../client/wire/message.ts';
export type { Receipt } from '../client/wire/receipt.ts';
export type { DryRunView, JsonSchemaFormat, ResponseFormatBody } from '../client/wire/response-format.ts';
export type { ChatStreamEvent } from '../client/wire/stream-event.ts';
