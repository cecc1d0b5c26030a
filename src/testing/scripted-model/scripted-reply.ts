/** Owns what a script can make the model do, as data, and the builders for it. Pure. */
import type { JsonValue } from '../../schema/json-value.ts';

/** One piece of a model's message; `shell` and `json` are settled by what the client offers. */
export type ReplyBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool';
      readonly name: string;
      readonly input: JsonValue;
      /** The arguments' exact text, which need not be JSON. Where the wire has no text for them, `input` is sent. */
      readonly inputText?: string;
    }
  | { readonly type: 'web-search'; readonly search: ScriptedWebSearch }
  | { readonly type: 'shell'; readonly command: string }
  | { readonly type: 'json'; readonly value: JsonValue };

/** A search of the web that the service itself makes in the middle of a message. */
export interface ScriptedWebSearch {
  readonly query: string;
  /** What it finds. @default [] */
  readonly pages?: readonly { readonly url: string; readonly title: string }[];
  /** It fails: Anthropic's word for why, such as `max_uses_exceeded`. */
  readonly errorCode?: string;
  /** `none`: it has no result yet, and where it ends the message the service pauses there. `of`: it is the result of such a call of an earlier message, by its id. Both Anthropic only. @default "whole" */
  readonly result?: 'whole' | 'none' | { readonly of: string };
}

/** Tokens that the reply claims to have cost. */
export interface ReplyUsage {
  /** Tokens that were in no cache. @default a quarter of the request's characters */
  readonly inputTokens?: number;
  /** @default a quarter of the reply's characters */
  readonly outputTokens?: number;
  /** @default 0 */
  readonly cacheCreationInputTokens?: number;
  /** @default 0 */
  readonly cacheReadInputTokens?: number;
}

/** How a message is sent, whatever is in it. */
export interface ReplyOptions {
  /** Most UTF-16 units in one delta of a stream; 1 cuts every tag. @default the server's `chunkChars` */
  readonly chunkChars?: number;
  readonly usage?: ReplyUsage;
  /** `length`: the model ran into its output limit; `refusal`: its text is a refusal. @default "stop" */
  readonly finishReason?: 'stop' | 'length' | 'refusal';
}

/** A whole message of the model. */
export interface MessageReply extends ReplyOptions {
  readonly type: 'message';
  readonly blocks: readonly ReplyBlock[];
}

/** An error of the service in place of a message. */
export interface ErrorReply {
  readonly type: 'error';
  readonly statusCode: number;
  readonly message: string;
  /** The service's own word for it. @default by the status */
  readonly code?: string;
  readonly retryAfterSeconds?: number;
}

/** A message whose connection is dropped, or falls silent, while it is sent. */
export interface CutReply {
  readonly type: 'cut';
  /** Server-sent events that still arrive; without streaming, half of the body arrives. */
  readonly afterChunks: number;
  /** The connection stays open, and silent, until the client hangs up. @default false */
  readonly isSilent?: boolean;
  readonly message: MessageReply;
}

/** Any reply, later. */
export interface DelayReply {
  readonly type: 'delay';
  readonly delayMs: number;
  readonly reply: ScriptedReply;
}

/** What the model does in one call. Made by `reply.…`. */
export type ScriptedReply = MessageReply | ErrorReply | CutReply | DelayReply;

/** What `reply.error` takes beside the status. */
export interface ErrorReplyOptions {
  readonly message?: string;
  /** The service's own word for it, such as `insufficient_quota`. @default by the status */
  readonly code?: string;
  /** Is sent as `retry-after`. */
  readonly retryAfterSeconds?: number;
}

/** The builders of `reply`. */
export interface ReplyBuilders {
  /** Says `text`. */
  text(text: string, options?: ReplyOptions): MessageReply;
  /** Thinks `text`: a thinking block, or a reasoning summary. Goes before something else in `reply.steps`. */
  thinking(text: string, options?: ReplyOptions): MessageReply;
  /** Calls the tool `name`, whether or not the client offers it. */
  tool(name: string, input: JsonValue, options?: ReplyOptions): MessageReply;
  /** Calls the tool `name` with arguments written exactly so: broken JSON, doubled keys, many digits. Gemini's wire has no text for them: it sends `{}`. */
  toolText(name: string, inputText: string, options?: ReplyOptions): MessageReply;
  /**
   * Searches the web by the service's own tool, whether or not the client offers it: Anthropic's `server_tool_use`, OpenAI's `web_search_call`, Gemini's
   * `toolCall`, before Gemini 3 its `groundingMetadata`. Written after the services' public documentation and what their packages read, not after answers that were recorded. Chat Completions
   * has no form for it, and fails the script.
   */
  webSearch(search: ScriptedWebSearch, options?: ReplyOptions): MessageReply;
  /** Calls the shell tool that the client offers, whatever its name and its input. A client without one fails the script. */
  shell(command: string, options?: ReplyOptions): MessageReply;
  /** Answers `value` natively: through the tool `StructuredOutput` when it is offered, else as JSON text. */
  json(value: JsonValue, options?: ReplyOptions): MessageReply;
  /** Does several of these in one message, in order. */
  steps(messages: readonly MessageReply[], options?: ReplyOptions): MessageReply;
  /** Answers an error of the service, in the shape of the wire. */
  error(statusCode: number, options?: ErrorReplyOptions): ErrorReply;
  /** Drops the connection while `message` is sent, or falls silent in it. @default message some text */
  cut(options: Pick<CutReply, 'afterChunks' | 'isSilent'>, message?: MessageReply): CutReply;
  /** Waits before `reply`; ends early when the client hangs up or the server closes. */
  delay(delayMs: number, reply: ScriptedReply): DelayReply;
}

/**
 * Builds what the scripted model does in one call. A reply is plain data; nothing happens until a script returns it.
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
    const inherited = Object.assign({}, ...messages.map(optionsOf)) as ReplyOptions; // a fold of `ReplyOptions`
    return message(
      messages.flatMap((each) => each.blocks),
      { ...inherited, ...options },
    );
  },
  error: (statusCode, { message: text = `Scripted error ${statusCode}.`, code, retryAfterSeconds } = {}) => ({
    type: 'error',
    statusCode,
    message: text,
    ...(code !== undefined && { code }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  }),
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
