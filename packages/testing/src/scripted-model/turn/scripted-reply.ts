/** Scripted replies as data, and their builders. Pure. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';

/** One block of a model's message. `shell` and `json` are resolved by the client's tools. */
export type ReplyBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool';
      readonly name: string;
      readonly input: JsonValue;
      /**
       * Verbatim arguments, which can be invalid JSON. On wires without raw arguments, `input` is
       * sent.
       */
      readonly inputText?: string;
    }
  | { readonly type: 'web-search'; readonly search: ScriptedWebSearch }
  | { readonly type: 'shell'; readonly command: string }
  | { readonly type: 'json'; readonly value: JsonValue };

/** A web search that the service executes within a message. */
export interface ScriptedWebSearch {
  readonly query: string;
  /** Its results. @default [] */
  readonly pages?: readonly { readonly url: string; readonly title: string }[];
  /** Error code of a failed search at Anthropic, such as `max_uses_exceeded`. */
  readonly errorCode?: string;
  /**
   * `none`: it has no result yet; at the end of a message the service pauses there. `of`: the
   * result of such a call in an earlier message, by its id. Both Anthropic only. @default "whole"
   */
  readonly result?: 'whole' | 'none' | { readonly of: string };
}

/** Reported token usage of the reply. */
export interface ReplyUsage {
  /** Uncached input tokens. @default a quarter of the request's characters */
  readonly inputTokens?: number;
  /** @default a quarter of the reply's characters */
  readonly outputTokens?: number;
  /** @default 0 */
  readonly cacheCreationInputTokens?: number;
  /** @default 0 */
  readonly cacheReadInputTokens?: number;
}

/** Transport of a message, independent of the contents. */
export interface ReplyOptions {
  /**
   * Maximum UTF-16 units in one stream delta; 1 cuts every tag. @default the server's `chunkChars`
   */
  readonly chunkChars?: number;
  /** Delay in milliseconds before each stream event. @default 0 */
  readonly chunkDelayMs?: number;
  readonly usage?: ReplyUsage;
  /** `length`: the output limit was reached. `refusal`: the text is a refusal. @default "stop" */
  readonly finishReason?: 'stop' | 'length' | 'refusal';
}

/** A complete message of the model. */
export interface MessageReply extends ReplyOptions {
  readonly type: 'message';
  readonly blocks: readonly ReplyBlock[];
}

/** An error of the service instead of a message. */
export interface ErrorReply {
  readonly type: 'error';
  readonly statusCode: number;
  readonly message: string;
  /** The service's error code. @default by the status */
  readonly code?: string;
  readonly retryAfterSeconds?: number;
}

/** A message whose connection drops or stalls while it is sent. */
export interface CutReply {
  readonly type: 'cut';
  /** Number of server-sent events that arrive. Without streaming, half of the body arrives. */
  readonly afterChunks: number;
  /** True to keep the connection open and silent until the client disconnects. @default false */
  readonly isSilent?: boolean;
  readonly message: MessageReply;
}

/** Any reply after a delay. */
export interface DelayReply {
  readonly type: 'delay';
  readonly delayMs: number;
  readonly reply: ScriptedReply;
}

/** The model's reply to one call. Created by `reply.…`. */
export type ScriptedReply = MessageReply | ErrorReply | CutReply | DelayReply;

/** Options of `reply.error`. */
export interface ErrorReplyOptions {
  readonly message?: string;
  /** The service's error code, such as `insufficient_quota`. @default by the status */
  readonly code?: string;
  /** Value of the `retry-after` header. */
  readonly retryAfterSeconds?: number;
}

/** Builders of `reply`. */
export interface ReplyBuilders {
  /** Writes `text`. */
  text(text: string, options?: ReplyOptions): MessageReply;
  /**
   * Reasons `text`: a thinking block, or a reasoning summary. Place it before another block in
   * `reply.steps`.
   */
  thinking(text: string, options?: ReplyOptions): MessageReply;
  /** Calls the tool `name`, offered or not. */
  tool(name: string, input: JsonValue, options?: ReplyOptions): MessageReply;
  /**
   * Calls the tool `name` with verbatim arguments: invalid JSON, duplicate keys, many digits.
   * Gemini's wire has no raw arguments: it sends `{}`.
   */
  toolText(name: string, inputText: string, options?: ReplyOptions): MessageReply;
  /**
   * Searches the web with the service's own tool, offered or not: Anthropic's `server_tool_use`,
   * OpenAI's `web_search_call`, Gemini's `toolCall`, before Gemini 3 its `groundingMetadata`.
   * Modelled on the services' public documentation and their packages' parsers, not on recordings.
   * Chat Completions has no form for it, and fails the script.
   */
  webSearch(search: ScriptedWebSearch, options?: ReplyOptions): MessageReply;
  /**
   * Calls the client's shell tool, whatever its name and input. A client without one fails the
   * script.
   */
  shell(command: string, options?: ReplyOptions): MessageReply;
  /** Answers `value` natively: with the tool `StructuredOutput` if offered, else as JSON text. */
  json(value: JsonValue, options?: ReplyOptions): MessageReply;
  /** Combines several blocks in one message, in order. */
  steps(messages: readonly MessageReply[], options?: ReplyOptions): MessageReply;
  /** Returns an error of the service in the wire's format. */
  error(statusCode: number, options?: ErrorReplyOptions): ErrorReply;
  /** Drops or stalls the connection while `message` is sent. @default message some text */
  cut(options: Pick<CutReply, 'afterChunks' | 'isSilent'>, message?: MessageReply): CutReply;
  /** Delays `reply`. Ends early when the client disconnects or the server closes. */
  delay(delayMs: number, reply: ScriptedReply): DelayReply;
}

/**
 * Builds the model's reply to one call. A reply is plain data; nothing happens until a script
 * returns it.
 *
 * @example
 * ```ts
 * const server = await scriptedModelServer({
 *   script: (turn) =>
 *     turn.lastToolResult === undefined
 *       ? reply.steps([reply.text('Let me look.'), reply.shell('git rev-parse HEAD')])
 *       : reply.text(`<result>${JSON.stringify({ head: shellOutput(turn) })}</result>`, { chunkChars: 3 }),
 * });
 * ```
 */
export const reply: ReplyBuilders = {
  text: (text, options) => message([{ type: 'text', text }], options),
  thinking: (text, options) => message([{ type: 'thinking', text }], options),
  tool: (name, input, options) => message([{ type: 'tool', name, input }], options),
  toolText: (name, inputText, options) => message([{ type: 'tool', name, input: {}, inputText }], options),
  webSearch: (search, options) => message([{ type: 'web-search', search }], options),
  shell: (command, options) => message([{ type: 'shell', command }], options),
  json: (value, options) => message([{ type: 'json', value }], options),
  steps: (messages, options) => {
    assertKind(messages, 'an array', 'messages', "Write `[reply.text('Hello.')]`.");
    for (const each of messages) assertKind(each, 'an object', 'messages', 'Each is a `reply.…`.');
    const inherited = Object.assign({}, ...messages.map(optionsOf)) as ReplyOptions; // a fold of `ReplyOptions`
    return message(
      messages.flatMap((each) => each.blocks),
      { ...inherited, ...options },
    );
  },
  error(statusCode, { message: text, code, retryAfterSeconds } = {}) {
    assertKind(statusCode, 'a number', 'statusCode', 'Pass a status of HTTP, such as 500.');
    return {
      type: 'error',
      statusCode,
      message: text ?? `Scripted error ${statusCode}.`,
      ...(code !== undefined && { code }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    };
  },
  cut: (options, cutMessage) => ({
    type: 'cut',
    ...options,
    message: cutMessage ?? reply.text('This sentence will not arrive whole.'),
  }),
  delay: (delayMs, delayed) => ({ type: 'delay', delayMs, reply: delayed }),
};

function message(blocks: readonly ReplyBlock[], options: ReplyOptions = {}): MessageReply {
  return { type: 'message', blocks, ...options };
}

function optionsOf({ type: _type, blocks: _blocks, ...options }: MessageReply): ReplyOptions {
  return options;
}
