/**
 * Message parts, with one format on the wire, in the store and in memory.
 *
 * Changing a part's format needs a migration.
 */
import type { JsonValue } from '@truecast/core/internal/schema/json-value';
import type { ReceiptAttempt, ReceiptUsage } from './receipt.ts';

/** Provider metadata to be returned unchanged with a part, such as a reasoning signature. */
export type ProviderMetadata = Readonly<Record<string, unknown>>;

/** Text. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly provider_metadata?: ProviderMetadata;
}

/** A model's reasoning, as far as its provider reveals it. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly provider_metadata?: ProviderMetadata;
}

/** A model's tool call. */
export interface ToolCallPart {
  readonly type: 'tool_call';
  /** Unique within its message only: providers reuse ids. */
  readonly tool_call_id: string;
  readonly tool_name: string;
  /** Arguments as the model wrote them. They can be invalid JSON. */
  readonly args: string;
  /** True for a provider-executed call, which the server never answers. */
  readonly provider_executed?: boolean;
  /** True if the provider's adapter re-serialized the arguments, which can round numbers. */
  readonly numbers_exact?: boolean;
  readonly provider_metadata?: ProviderMetadata;
}

/** Why the server and not the tool created a result. */
export type SyntheticReason = 'interrupted' | 'canceled' | 'deadline' | 'unknown' | 'not_run' | 'rejected';

/** The result of a call. */
export interface ToolResultPart {
  readonly type: 'tool_result';
  readonly tool_call_id: string;
  readonly tool_name: string;
  /** Any JSON. */
  readonly result: JsonValue;
  readonly is_error: boolean;
  /** Exact JSON text of `result`, with all digits. Accepted answers only. */
  readonly result_text?: string;
  readonly synthetic?: SyntheticReason;
  /** Outcome of the submission that this result answers. Finalizer calls only, one per step. */
  readonly attempt?: ReceiptAttempt;
  /** When a tool of the server was started, in ISO 8601. */
  readonly started_at?: string;
  /** When the tool had ended, or the client sent its result. */
  readonly ended_at?: string;
  /** Model usage of the tool itself, as far as a coding agent reports it. */
  readonly usage?: ReceiptUsage;
  readonly provider_executed?: boolean;
  readonly provider_metadata?: ProviderMetadata;
}

/** A source that a model cites. */
export interface SourcePart {
  readonly type: 'source';
  readonly source_id: string;
  readonly url?: string;
  readonly title?: string;
}

/** A file, by URL or as Base64. */
export interface FilePart {
  readonly type: 'file';
  readonly media_type: string;
  readonly filename?: string;
  readonly url?: string;
  readonly data?: string;
}

/** Failure limits of a request. */
export interface RequestLimits {
  /** Consecutive text-only answers after which the request fails. */
  readonly text_only: number;
  /** Total invalid submissions after which the request fails. */
  readonly max_repairs: number;
  /** Seconds from the acceptance of the request after which it fails. */
  readonly deadline_seconds?: number;
}

/**
 * Response format of a request, on the user's message. Created by the server, never shown to a
 * model.
 */
export interface ResponseFormatPart {
  readonly type: 'response_format';
  readonly request_id: string;
  readonly name: string;
  readonly description?: string;
  /** The JSON Schema as text, which preserves order and characters. */
  readonly schema_text: string;
  readonly limits: RequestLimits;
}

/** Feedback to a model about a missing or invalid answer, without a call to answer. */
export interface CorrectivePart {
  readonly type: 'corrective';
  readonly request_id: string;
  readonly text: string;
  readonly attempt: ReceiptAttempt;
}

/** Summary that replaces all earlier messages in later prompts. */
export interface SummaryPart {
  readonly type: 'summary';
  readonly text: string;
}

/**
 * Outcome of a request, at the end of the turn. Committed with the receipt, never shown to a model.
 */
export interface OutcomePart {
  readonly type: 'outcome';
  readonly request_id: string;
  readonly status: 'succeeded' | 'failed' | 'canceled';
  readonly error?: { readonly code: string; readonly reason?: string; readonly message: string };
}

/** One part of a message. */
export type MessagePart =
  | TextPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | SourcePart
  | FilePart
  | ResponseFormatPart
  | CorrectivePart
  | SummaryPart
  | OutcomePart;

/** Parts that a client can send. */
export type InputPart = Omit<TextPart, 'provider_metadata'> | FilePart;
