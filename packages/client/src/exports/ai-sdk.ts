/** Exports of `@truecast/client/ai-sdk`: the chats of a server in `useChat` of the AI SDK. */
export { createChatTransport } from '../ai-sdk/chat-transport.ts';
export type { ChatTransportOptions } from '../ai-sdk/chat-transport.ts';
export type {
  InferPageTools,
  PageTool,
  PageTools,
  TruecastChunk,
  TruecastData,
  TruecastMetadata,
  TruecastUIMessage,
  TypedReceipt,
} from '../ai-sdk/ui-message.ts';
export type { AnswerOf, RequestOfTurn } from '../ai-sdk/requested-answer.ts';
export { toUIMessages } from '../ai-sdk/to-ui-messages.ts';
export type { ToUIMessagesOptions } from '../ai-sdk/to-ui-messages.ts';
export { resumeUIMessageStream, uiMessageStream } from '../ai-sdk/ui-message-stream.ts';
export type {
  SendUIMessageOptions,
  TruecastStream,
  UIMessageStreamOptions,
} from '../ai-sdk/ui-message-stream.ts';
