/** Wire format of chats and models. Types only: the server has the Zod schemas. */
import type { MessageBody, MessageView } from './message.ts';
import type { ReceiptMode, RequestError } from './receipt.ts';
import type { DialectName } from './response-format.ts';

/** Status of a chat. */
export type ChatStatus = 'waiting' | 'running' | 'interrupting' | 'requires_action' | 'error';

/** A tool that the client executes. */
export interface DynamicTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** Labels of a chat: values by key. */
export type ChatLabels = Readonly<Record<string, string>>;

/** A new chat with its first message. */
export interface CreateChatBody extends MessageBody {
  /**
   * Id of the chat for its client, unique per owner: 1 to 128 visible ASCII characters. `~CLIENT_ID`
   * addresses the chat in each path.
   */
  readonly client_id?: string;
  /** Id of the first message for its client. */
  readonly message_client_id?: string;
  /** @default the server's default model */
  readonly model?: string;
  /** At most 200 characters. @default '' */
  readonly title?: string;
  /** At most 10,000 characters. */
  readonly system_prompt?: string;
  /** Client-side tools, at most 250. @default [] */
  readonly tools?: readonly DynamicTool[];
  /** Client-defined metadata. @default {} */
  readonly settings?: Readonly<Record<string, unknown>>;
  /**
   * By which `GET /api/chats?label=KEY:VALUE` finds the chat. At most 16; keys of 1 to 64 letters,
   * digits and `._/-`, values of at most 256 characters. @default {}
   */
  readonly labels?: ChatLabels;
}

/** Changeable chat settings. Omitted ones stay. */
export interface PatchChatBody {
  readonly title?: string;
  readonly model?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Replaces all labels. */
  readonly labels?: ChatLabels;
  /** An empty one removes it. */
  readonly system_prompt?: string;
  /** Replaces all client-side tools. */
  readonly tools?: readonly DynamicTool[];
  /** Cannot be enabled while a request is open. */
  readonly plan_mode?: boolean;
}

/** Why a chat is in `error`, or why a model call is being retried. */
export interface ChatErrorView {
  readonly kind: string;
  readonly message: string;
  readonly is_retryable: boolean;
  readonly status_code?: number;
}

/** A chat. */
export interface ChatView {
  readonly id: string;
  /** Chosen by its client. */
  readonly client_id?: string;
  readonly title: string;
  readonly status: ChatStatus;
  readonly model: string;
  readonly plan_mode: boolean;
  readonly system_prompt?: string;
  readonly tools: readonly DynamicTool[];
  readonly settings: Readonly<Record<string, unknown>>;
  /** Absent without labels. */
  readonly labels?: ChatLabels;
  /** The parent chat of a subagent's chat. */
  readonly parent_chat_id?: string;
  readonly queue_length: number;
  /** The request of the running turn. */
  readonly request_id?: string;
  readonly error?: ChatErrorView;
  /** Deadline for client tool results. In `error`, the time at which the head of the queue runs. */
  readonly action_deadline?: string;
  /** Increases with every change. */
  readonly version: number;
  /**
   * The version at which the last turn began. A stream with `after` of this version starts with the
   * events of that turn, after its message.
   */
  readonly turn_version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A created chat. */
export interface CreatedChatView {
  readonly chat: ChatView;
  readonly message: MessageView;
  /** Id for reading the receipt. Present if a `response_format` was sent. */
  readonly request_id?: string;
}

/** A page of chats, newest first. */
export interface ChatPageView {
  readonly chats: readonly ChatView[];
  /** `after` of the next page. Absent on the last one. */
  readonly next?: string;
}

/** A chat in a list of `GET /api/chats`. */
export interface ListedChatView extends ChatView {
  /** First 160 characters of the newest validated value as JSON. Only with `preview=true`. */
  readonly value_preview?: string;
  /** Error of the newest request that ended, if it failed. Only with `preview=true`. */
  readonly last_failure?: RequestError;
}

/** A page of `GET /api/chats`, which can have previews. */
export interface ListedChatPageView extends ChatPageView {
  readonly chats: readonly ListedChatView[];
}

/** A model for chats. */
export interface ModelView {
  readonly id: string;
  readonly is_default: boolean;
  /** `anthropic`, `openai`, `google`, or `openai-compatible` for any other Chat Completions API. */
  readonly provider: string;
  /** True if no model answers, but a script. */
  readonly is_scripted: boolean;
  /** How a turn without other tools requests an answer first. Absent if the model supports no way. */
  readonly mode?: ReceiptMode;
  /** Schema mode whose losses `POST /api/response_formats/validate` reports. */
  readonly dialect: DialectName;
  /** Context window in tokens, output included. Absent if it is unknown. */
  readonly context_tokens?: number;
}
