/** Port to wire formats. Each format is one implementation. */
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import type { ReplyUsage, ScriptedWebSearch } from './scripted-reply.ts';
import type { ModelWireName, OfferedTool, PostedTurn } from './scripted-turn.ts';

export interface ScriptedWireRequest {
  readonly method: string;
  readonly pathname: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON. Undefined without a body or for invalid JSON. */
  readonly body: unknown;
}

/** A refusal or failure of the real service. */
export interface WireError {
  readonly statusCode: number;
  readonly message: string;
  /** The service's error type. @default by the status */
  readonly code?: string;
  /** The invalid field, as the service names it. */
  readonly param?: string;
  readonly retryAfterSeconds?: number;
}

/** A plain response. */
export interface ScriptedWireAnswer {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonValue;
}

/** A turn, the service's refusal, or a request that ends the service's process. */
export type WireReading =
  | { readonly type: 'turn'; readonly turn: PostedTurn }
  | { readonly type: 'refusal'; readonly error: WireError }
  | { readonly type: 'ends' };

/** One block of a message, with all choices settled. */
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

/** An encoded message, as body and as stream. */
export interface EncodedMessage {
  /** Server-sent events, each with its empty line. */
  readonly events: readonly string[];
  readonly whole: JsonValue;
}

/** A wire format. Its only state is the state that its service keeps between calls. */
export interface ScriptedWire {
  readonly name: ModelWireName;
  /** Returns true if a request is for this service. */
  owns(request: ScriptedWireRequest): boolean;
  /** The client's API key, if any. */
  keyOf(headers: Readonly<Record<string, string>>): string | undefined;
  /**
   * Answers requests other than model calls: probes, model lists, token counts. Undefined for a
   * model call.
   */
  answerAside(request: ScriptedWireRequest): ScriptedWireAnswer | undefined;
  /** Parses a model call as strictly as the service does. */
  read(request: ScriptedWireRequest): WireReading;
  /** Encodes the response to `request`, a model call that `read` accepted. */
  encode(message: SettledMessage, request: ScriptedWireRequest): EncodedMessage;
  encodeError(error: WireError): ScriptedWireAnswer;
}

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
