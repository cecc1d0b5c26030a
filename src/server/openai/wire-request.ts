/** Owns what both APIs of OpenAI's wire ask for, once their bodies are read. Pure. */
import type { MessagePart } from '../contract/parts.ts';
import type { MessageRole } from '../contract/rows.ts';
import type { ResponseFormat } from '../format/parse-response-format.ts';
import type { SamplingSettings, StepRequest, ToolDefinition } from '../models/step-request.ts';
import type { WireFailure } from './wire-failure.ts';

/** One message of the conversation that was sent. */
export interface WireMessage {
  readonly role: MessageRole;
  readonly parts: readonly MessagePart[];
  /** The field that it stands in, such as `messages[2]`. */
  readonly field: string;
}

/** One request. */
export interface WireRequest {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: NonNullable<StepRequest['toolChoice']>;
  readonly allowsParallelCalls: boolean;
  readonly sampling: SamplingSettings;
  readonly maxOutputTokens: number | undefined;
  /** What the answer must be; undefined for text. */
  readonly format: ResponseFormat | undefined;
  readonly isStreamed: boolean;
  /** A stream ends with what was used. */
  readonly includesUsage: boolean;
}

/** A request, or the first thing that is wrong with it. */
export type ReadRequest =
  | { readonly success: true; readonly request: WireRequest }
  | { readonly success: false; readonly failure: WireFailure };
