/** Parsed request, common to both OpenAI APIs. Pure. */
import type { RowRole, RowPart } from '../../contract/rows.ts';
import type { ResponseFormat } from '../../format/parse-response-format.ts';
import type { SamplingSettings } from '../../models/chat-model.ts';
import type { StepRequest, ToolDefinition } from '../../models/step-request.ts';
import type { WireFailure } from './wire-failure.ts';

/** One message of the received conversation. */
export interface WireMessage {
  readonly role: RowRole;
  readonly parts: readonly RowPart[];
  /** Its field in the body, such as `messages[2]`. */
  readonly field: string;
}

/** How the caller knows a function, if not by its name alone. */
export interface ToolForm {
  readonly name: string;
  /** True for a custom tool, whose input is text. */
  readonly isText: boolean;
  readonly namespace?: string;
}

export interface WireRequest {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly ToolDefinition[];
  /** Tools that their caller knows in another form, by the name that the model gets. */
  readonly toolForms: ReadonlyMap<string, ToolForm>;
  readonly toolChoice: NonNullable<StepRequest['toolChoice']>;
  readonly allowsParallelCalls: boolean;
  readonly sampling: SamplingSettings;
  readonly maxOutputTokens: number | undefined;
  /** The response format. Undefined for text. */
  readonly format: ResponseFormat | undefined;
  readonly isStreamed: boolean;
  /** True if a stream ends with usage. */
  readonly includesUsage: boolean;
  /** Fields that would change the answer, and that this server does not use. */
  readonly ignored: readonly string[];
}

/** A request, or its first problem. */
export type ReadRequest =
  | { readonly success: true; readonly request: WireRequest }
  | { readonly success: false; readonly failure: WireFailure };
