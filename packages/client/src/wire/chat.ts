/** Wire format of chats and models. */
import {
  array,
  boolean,
  count,
  integer,
  limited,
  number,
  object,
  openOneOf,
  optional,
  record,
  recordOf,
  string,
  time,
  type ObjectOf,
  type Of,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { clientId, messageBodyMembers, messageView } from './message.ts';
import { evidenceMembers, receiptMode, requestError, requestStatus } from './receipt.ts';
import { dialectName } from './response-format.ts';

export const chatStatus = openOneOf('waiting', 'running', 'interrupting', 'requires_action', 'error');
/** Status of a chat. */
export type ChatStatus = Of<typeof chatStatus>;

const toolMembers = {
  name: limited({
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    expected: 'Expected 1 to 64 letters, digits, underscores and hyphens',
  }),
  description: optional(limited({ max: 10_000 })),
  input_schema: record,
};
/** A tool that the client executes. */
export interface DynamicTool extends ObjectOf<typeof toolMembers> {}
const dynamicTool: Shape<DynamicTool> = object(toolMembers, 'DynamicTool');

const chatLabels = recordOf(string);
/** Labels of a chat: values by key. */
export type ChatLabels = Of<typeof chatLabels>;

const title = optional(limited({ max: 200 }));
const model = optional(limited({ min: 1, max: 200 }));
const systemPrompt = optional(limited({ max: 10_000 }));
const tools = optional(array(dynamicTool, { max: 250 }));

export const createChatMembers = {
  ...messageBodyMembers,
  /**
   * Id of the chat for its client, unique per owner: 1 to 128 visible ASCII characters. `~CLIENT_ID`
   * addresses the chat in each path.
   */
  client_id: optional(clientId),
  /** Id of the first message for its client. */
  message_client_id: optional(clientId),
  /** @default the server's default model */
  model,
  /** At most 200 characters. @default '' */
  title,
  /** At most 10,000 characters. */
  system_prompt: systemPrompt,
  /** Client-side tools, at most 250. @default [] */
  tools,
  /** Client-defined metadata. @default {} */
  settings: optional(record),
  /**
   * By which `GET /api/chats?label=KEY:VALUE` finds the chat. At most 16; keys of 1 to 64 letters,
   * digits and `._/-`, values of at most 256 characters. @default {}
   */
  labels: optional(chatLabels),
};
/** A new chat with its first message. */
export interface CreateChatBody extends ObjectOf<typeof createChatMembers> {}

export const patchChatMembers = {
  title,
  model,
  settings: optional(record),
  /** Replaces all labels. */
  labels: optional(chatLabels),
  /** An empty one removes it. */
  system_prompt: systemPrompt,
  /** Replaces all client-side tools. */
  tools,
  /** Cannot be enabled while a request is open. */
  plan_mode: optional(boolean),
};
/** Changeable chat settings. Omitted ones stay. */
export interface PatchChatBody extends ObjectOf<typeof patchChatMembers> {}

const errorMembers = {
  kind: string,
  message: string,
  is_retryable: boolean,
  status_code: optional(integer),
};
/** Why a chat is in `error`, or why a model call is being retried. */
export interface ChatErrorView extends ObjectOf<typeof errorMembers> {}
export const chatErrorView: Shape<ChatErrorView> = object(errorMembers, 'ChatError');

const summaryMembers = {
  id: string,
  /** Chosen by its client. */
  client_id: optional(string),
  title: string,
  status: chatStatus,
  model: string,
  plan_mode: boolean,
  system_prompt: optional(string),
  /** Absent without labels. */
  labels: optional(chatLabels),
  /** The parent chat of a subagent's chat. */
  parent_chat_id: optional(string),
  queue_length: integer,
  /** The request of the running turn. */
  request_id: optional(string),
  error: optional(chatErrorView),
  /** Deadline for client tool results. In `error`, the time at which the head of the queue runs. */
  action_deadline: optional(time),
  /** Increases with every change. */
  version: integer,
  /**
   * The version at which the last turn began. A stream with `after` of this version starts with the
   * events of that turn, after its message.
   */
  turn_version: integer,
  created_at: time,
  updated_at: time,
};
/** A chat without its tools and settings. */
export interface ChatSummaryView extends ObjectOf<typeof summaryMembers> {}
export const chatSummaryView: Shape<ChatSummaryView> = object(summaryMembers, 'ChatSummary');

const chatMembers = { ...summaryMembers, tools: array(dynamicTool), settings: record };
/** A chat. */
export interface ChatView extends ObjectOf<typeof chatMembers> {}
export const chatView: Shape<ChatView> = object(chatMembers, 'Chat');

const createdMembers = {
  chat: chatView,
  message: messageView,
  /** Id for reading the receipt. Present if a `response_format` was sent. */
  request_id: optional(string),
};
/** A created chat. */
export interface CreatedChatView extends ObjectOf<typeof createdMembers> {}
export const createdChatView: Shape<CreatedChatView> = object(createdMembers, 'CreatedChat');

const pageMembers = {
  chats: array(chatView),
  /** `after` of the next page. Absent on the last one. */
  next: optional(string),
};
/** A page of chats, newest first. */
export interface ChatPageView extends ObjectOf<typeof pageMembers> {}
export const chatPageView: Shape<ChatPageView> = object(pageMembers);

const listedMembers = {
  ...chatMembers,
  /** First 160 characters of the newest validated value as JSON. Only with `preview=true`. */
  value_preview: optional(string),
  /** Error of the newest request that ended, if it failed. Only with `preview=true`. */
  last_failure: optional(requestError),
  /** Status of the newest request that succeeded or failed. Only with `preview=true`. */
  last_request_status: optional(requestStatus),
  /** The newest request that succeeded or failed. Only with `preview=true`. */
  last_request_id: optional(string),
  /** Attempts of that request. Only with `preview=true`. */
  attempt_count: optional(count),
  /** Duration of that request. Only with `preview=true`. */
  duration_ms: optional(number),
  /** Cost of that request, if it is known. Only with `preview=true`. */
  cost_usd: optional(number),
  ...evidenceMembers,
};
/** A chat in a list of `GET /api/chats`. */
export interface ListedChatView extends ObjectOf<typeof listedMembers> {}
const listedChatView: Shape<ListedChatView> = object(listedMembers, 'ListedChat');

const listedPageMembers = { ...pageMembers, chats: array(listedChatView) };
/** A page of `GET /api/chats`, which can have previews. */
export interface ListedChatPageView extends ObjectOf<typeof listedPageMembers> {}
export const listedChatPageView: Shape<ListedChatPageView> = object(listedPageMembers, 'ChatPage');

const modelMembers = {
  id: string,
  is_default: boolean,
  /** `anthropic`, `openai`, `google`, or `openai-compatible` for any other Chat Completions API. */
  provider: string,
  /** True if no model answers, but a script. */
  is_scripted: boolean,
  /** How a turn without other tools requests an answer first. Absent if the model supports no way. */
  mode: optional(receiptMode),
  /** Schema mode whose losses `POST /api/response_formats/validate` reports. */
  dialect: dialectName,
  /** Context window in tokens, output included. Absent if it is unknown. */
  context_tokens: optional(integer),
  /** Prices of its tokens. Absent if unknown: its answers then have no cost. */
  prices: optional(
    object(
      {
        input_usd_per_million: number,
        output_usd_per_million: number,
        /** @default the price of input */
        cache_read_usd_per_million: optional(number),
        /** @default the price of input */
        cache_write_usd_per_million: optional(number),
      },
      'ModelPrices',
    ),
  ),
  /** True if it was connected while the server runs: this process alone has it, until it ends. */
  is_connected: optional(boolean),
};
/** A model for chats. */
export interface ModelView extends ObjectOf<typeof modelMembers> {}
export const modelView: Shape<ModelView> = object(modelMembers, 'Model');

/** The models for chats. */
export const modelListView = object({ models: array(modelView) }, 'ModelList');
