/** Owns the port between the server and a wire format: one file per format stands behind it. */
import type { JsonValue } from '../../schema/json-value.ts';
import type { ReplyUsage, ScriptedWebSearch } from './scripted-reply.ts';
import type { ModelWireName, OfferedTool, PostedTurn } from './scripted-turn.ts';

/** One request, read whole. */
export interface WireRequest {
  readonly method: string;
  readonly pathname: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON; undefined when there was no body or it was no JSON. */
  readonly body: unknown;
}

/** A reason for which the real service refuses a request, or fails. */
export interface WireError {
  readonly statusCode: number;
  readonly message: string;
  /** The service's word for it. @default by the status */
  readonly code?: string;
  /** The field that is wrong, as the service names it. */
  readonly param?: string;
  readonly retryAfterSeconds?: number;
}

/** A plain answer. */
export interface WireAnswer {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonValue;
}

/** A turn, or why the service would not take it. */
export type WireReading =
  | { readonly type: 'turn'; readonly turn: PostedTurn }
  | { readonly type: 'refusal'; readonly error: WireError };

/** One piece of a message, settled: nothing is left to choose. */
export type SettledBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'web-search'; readonly search: ScriptedWebSearch }
  | { readonly type: 'tool'; readonly name: string; readonly input: JsonValue; readonly tool?: OfferedTool };

/** A message ready for encoding. */
export interface SettledMessage {
  readonly model: string;
  readonly blocks: readonly SettledBlock[];
  readonly chunkChars: number;
  readonly usage: Required<ReplyUsage>;
  readonly finishReason: 'stop' | 'length' | 'refusal';
}

/** A message in the wire's words, both ways. */
export interface EncodedMessage {
  /** Server-sent events, each complete with its empty line. */
  readonly events: readonly string[];
  readonly whole: JsonValue;
}

/** A wire format. Holds no state but what its service would keep between calls. */
export interface ModelWire {
  readonly name: ModelWireName;
  /** Tells whether a request is for this service. */
  owns(request: WireRequest): boolean;
  /** The key that the client sent, if any. */
  keyOf(headers: Readonly<Record<string, string>>): string | undefined;
  /** Answers what is no model call: probes, lists of models, counts of tokens; undefined for a model call. */
  answerAside(request: WireRequest): WireAnswer | undefined;
  /** Reads a model call as strictly as the service does. */
  read(request: WireRequest): WireReading;
  /** Encodes the answer to `request`, a model call that `read` took. */
  encode(message: SettledMessage, request: WireRequest): EncodedMessage;
  encodeError(error: WireError): WireAnswer;
}

/** Writes one server-sent event. */
export function serverSentEvent(event: string, data: JsonValue): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The arguments of a call as the model wrote them. */
export function argumentsText({
  input,
  inputText,
}: {
  readonly input: JsonValue;
  readonly inputText?: string;
}): string {
  return inputText ?? JSON.stringify(input);
}
