/**
 * Message parts, with one format on the wire, in the store and in memory. Pure.
 *
 * Changing a part's format needs a migration. Parts that only the server creates are rejected as
 * client input.
 */
import { z } from 'zod';
import type { JsonValue } from '../../schema/json-value.ts';
import { receiptAttemptSchema, type ReceiptAttempt } from './receipt.ts';
import type { WireSchema } from './wire-schema.ts';

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
  readonly type: 'tool-call';
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
export type SyntheticReason = 'interrupted' | 'canceled' | 'deadline' | 'unknown' | 'not-run' | 'rejected';

/** The result of a call. */
export interface ToolResultPart {
  readonly type: 'tool-result';
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
}

/**
 * Response format of a request, on the user's message. Created by the server, never shown to a
 * model.
 */
export interface ResponseFormatPart {
  readonly type: 'response-format';
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
 * Outcome of a request, at the end of its turn. Committed with the receipt, never shown to a model.
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
export type InputPart = TextPart | FilePart;

const metadata = z.record(z.string(), z.unknown()).exactOptional();
const shown = z.string().exactOptional();
const flag = z.boolean().exactOptional();
const count = z.int().min(1);
// Parsed parts are JSON already. A recursive schema would overflow the stack on a deep hostile
// value.
const json = z.unknown() as WireSchema<JsonValue>;

const text = z.strictObject({ type: z.literal('text'), text: z.string(), provider_metadata: metadata });
const reasoning = z.strictObject({
  type: z.literal('reasoning'),
  text: z.string(),
  provider_metadata: metadata,
});
const toolCall = z.strictObject({
  type: z.literal('tool-call'),
  tool_call_id: z.string(),
  tool_name: z.string(),
  args: z.string(),
  provider_executed: flag,
  numbers_exact: flag,
  provider_metadata: metadata,
});
const synthetic = z.enum(['interrupted', 'canceled', 'deadline', 'unknown', 'not-run', 'rejected']);
const toolResult = z.strictObject({
  type: z.literal('tool-result'),
  tool_call_id: z.string(),
  tool_name: z.string(),
  result: json,
  is_error: z.boolean(),
  result_text: shown,
  synthetic: synthetic.exactOptional(),
  attempt: receiptAttemptSchema.exactOptional(),
  provider_executed: flag,
  provider_metadata: metadata,
});
const source = z.strictObject({
  type: z.literal('source'),
  source_id: z.string(),
  url: shown,
  title: shown,
});
const file = z.strictObject({
  type: z.literal('file'),
  media_type: z.string(),
  filename: shown,
  url: shown,
  data: shown,
});
const responseFormat = z.strictObject({
  type: z.literal('response-format'),
  request_id: z.string(),
  name: z.string(),
  description: shown,
  schema_text: z.string(),
  limits: z.strictObject({ text_only: count, max_repairs: count }),
});
const corrective = z.strictObject({
  type: z.literal('corrective'),
  request_id: z.string(),
  text: z.string(),
  attempt: receiptAttemptSchema,
});
const summary = z.strictObject({ type: z.literal('summary'), text: z.string() });
const outcome = z.strictObject({
  type: z.literal('outcome'),
  request_id: z.string(),
  status: z.enum(['succeeded', 'failed', 'canceled']),
  error: z.strictObject({ code: z.string(), reason: shown, message: z.string() }).exactOptional(),
});

/** Schema of a stored part, also used in the API description. */
export const messagePartSchema: WireSchema<MessagePart> = z.discriminatedUnion('type', [
  text,
  reasoning,
  toolCall,
  toolResult,
  source,
  file,
  responseFormat,
  corrective,
  summary,
  outcome,
]);

/**
 * Other schemes, such as `file:`, would be opened by the fetching side: a model server can run on
 * this machine.
 */
const address = z
  .string()
  .regex(/^(?:https?:\/\/|data:)/iu, 'Expected an address of `https:`, `http:` or `data:`')
  .exactOptional();
/** A URL in place of bytes would be fetched too. */
const bytes = z
  .string()
  .regex(/^[A-Za-z0-9+/_-]+={0,2}$/u, 'Expected the bytes in Base64')
  .exactOptional();

const inputFile = file
  .extend({ url: address, data: bytes })
  .refine(({ url, data }) => (url === undefined) !== (data === undefined), {
    error: 'Must have either `url` or `data`, and not both',
  });

/** Schema of a client's part: text and files only. */
export const inputPartSchema: WireSchema<InputPart> = z.discriminatedUnion(
  'type',
  [text.omit({ provider_metadata: true }), inputFile],
  // A part that is not an object has no `type`.
  { error: ({ code }) => (code === 'invalid_union' ? 'Must be `text` or `file`' : undefined) },
);
