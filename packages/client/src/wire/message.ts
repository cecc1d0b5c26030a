/** Wire format of messages, sent and received. */
import {
  anything,
  array,
  boolean,
  either,
  integer,
  limited,
  object,
  oneOf,
  openOneOf,
  optional,
  string,
  time,
  type ObjectOf,
  type Of,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { inputPart, messagePart } from './message-parts.ts';
import { receiptAttempt, receiptUsage } from './receipt.ts';
import { requestLimitsBody, responseFormatBody } from './response-format.ts';

const messageRole = openOneOf('system', 'user', 'assistant', 'tool');
/** Author of a message, in model terms. */
export type MessageRole = Of<typeof messageRole>;

export const finishReason = openOneOf(
  'stop',
  'tool_calls',
  'length',
  'content_filter',
  'runaway',
  'error',
  'interrupted',
  'other',
);
/**
 * Finish reason. `interrupted`: the call was stopped, and its text so far was kept. `runaway`: it repeated
 * itself without end, and was ended.
 */
export type FinishReason = Of<typeof finishReason>;

/** An id that a client chooses. It is also a part of an address. */
export const clientId = limited({
  pattern: String.raw`^[\u0021-\u007E]{1,128}$`,
  expected: 'Expected 1 to 128 visible ASCII characters',
});

export const messageBodyMembers = {
  /** Text, or parts. */
  content: either([limited({ min: 1 }), array(inputPart, { min: 1, max: 100 })]),
  /**
   * With `json_schema` the turn succeeds only with a value that this schema accepts. @default an
   * ordinary turn
   */
  response_format: optional(responseFormatBody),
  limits: optional(requestLimitsBody),
  /** True if the turn ends with a plan. Excludes `json_schema`. @default the chat's setting */
  plan_mode: optional(boolean),
};
/** Contents of a user message. */
export interface MessageBody extends ObjectOf<typeof messageBodyMembers> {}

export const editMessageMembers = {
  ...messageBodyMembers,
  /**
   * Id of the message for its client, unique within the chat: 1 to 128 visible ASCII characters.
   * `~CLIENT_ID` addresses the message in each path.
   */
  client_id: optional(clientId),
};
/** A message that replaces another one. */
export interface EditMessageBody extends ObjectOf<typeof editMessageMembers> {}

export const sendMessageMembers = {
  ...editMessageMembers,
  /** `interrupt` ends the running turn and keeps its streamed text. @default 'queue' */
  busy_behavior: optional(oneOf('queue', 'interrupt')),
};
/** A message for a chat that can be busy. */
export interface SendMessageBody extends ObjectOf<typeof sendMessageMembers> {}

const queuedMembers = {
  id: integer,
  /** Chosen by its client. */
  client_id: optional(string),
  chat_id: string,
  content: array(messagePart),
  request_id: optional(string),
  plan_mode: optional(boolean),
  created_at: time,
};
/** A queued message. Its id counts from 1 within the chat. */
export interface QueuedView extends ObjectOf<typeof queuedMembers> {}
export const queuedView: Shape<QueuedView> = object(queuedMembers, 'QueuedMessage');

const messageMembers = {
  ...queuedMembers,
  /** The request that the message started. */
  request_id: optional(string),
  role: messageRole,
  /** Created by a compaction. */
  is_compressed: boolean,
  /** The server's name of the model that wrote it. */
  model: optional(string),
  finish_reason: optional(finishReason),
  /** Why this message of a model is not the answer. That of a call is in the call's result. */
  attempt: optional(receiptAttempt),
  usage: optional(receiptUsage),
  /** When the model was called, in ISO 8601. Messages of a model only. */
  started_at: optional(time),
  /** When the first part of the model's reply arrived. */
  first_token_at: optional(time),
};
/** A message of a chat. Its id counts from 1 within the chat. */
export interface MessageView extends ObjectOf<typeof messageMembers> {}
export const messageView: Shape<MessageView> = object(messageMembers, 'Message');

const sentMembers = {
  message: optional(messageView),
  queued_message: optional(queuedView),
  /** Id for reading the receipt. Present if a `response_format` was sent. */
  request_id: optional(string),
};
/** Position of a sent message: exactly one of `message` and `queued_message`. */
export interface SentView extends ObjectOf<typeof sentMembers> {}
export const sentView: Shape<SentView> = object(sentMembers, 'SentMessage');

const editedMembers = {
  message: messageView,
  deleted_message_ids: array(integer),
  request_id: optional(string),
};
/** Result of an edit. */
export interface EditedView extends ObjectOf<typeof editedMembers> {}
export const editedView: Shape<EditedView> = object(editedMembers, 'EditedMessage');

const pageMembers = {
  messages: array(messageView),
  /** True if there are more in the direction of the query. */
  has_more: boolean,
};
/** A page of messages, oldest first. */
export interface MessagePageView extends ObjectOf<typeof pageMembers> {}
export const messagePageView: Shape<MessagePageView> = object(pageMembers, 'MessagePage');

const queueMembers = { queued_messages: array(queuedView) };
/** The queue in execution order. */
export interface QueueView extends ObjectOf<typeof queueMembers> {}
export const queueView: Shape<QueueView> = object(queueMembers, 'Queue');

const toolResultsMembers = {
  results: array(
    object({
      tool_call_id: string,
      /** Any JSON. */
      output: anything,
      is_error: optional(boolean),
    }),
  ),
};
/** Results of all calls that a chat waits for. */
export interface ToolResultsBody extends ObjectOf<typeof toolResultsMembers> {}
export const toolResultsBody: Shape<ToolResultsBody> = object(toolResultsMembers, 'ToolResults');
