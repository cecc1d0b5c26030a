/**
 * Owns what a message is made of: its parts, which have one form on the wire, in the store and in memory. Pure.
 *
 * A change of a part's form is a migration. A part that only the server makes is refused as a client's input.
 */
import { z } from 'zod';
import type { JsonValue } from '../../schema/json-value.ts';
import { receiptAttemptSchema, type ReceiptAttempt } from './receipt.ts';
import type { WireSchema } from './wire-schema.ts';

/** What a provider wants back unchanged with a part, such as the signature of a thought. */
export type ProviderMetadata = Readonly<Record<string, unknown>>;

/** Words. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly provider_metadata?: ProviderMetadata;
}

/** What a model thought, as far as its provider shows it. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly provider_metadata?: ProviderMetadata;
}

/** A call that a model made of a tool. */
export interface ToolCallPart {
  readonly type: 'tool-call';
  /** Unique within its message only: providers use them again. */
  readonly tool_call_id: string;
  readonly tool_name: string;
  /** The arguments as the model wrote them; they need not be JSON. */
  readonly args: string;
  /** The provider ran it, or will: nothing of ours answers it. */
  readonly provider_executed?: boolean;
  /** The provider's adapter wrote the arguments again: numbers may have lost digits. */
  readonly numbers_exact?: boolean;
  readonly provider_metadata?: ProviderMetadata;
}

/** Why a result was made by the server and not by the tool. */
export type SyntheticReason = 'interrupted' | 'canceled' | 'deadline' | 'unknown' | 'not-run' | 'rejected';

/** What a call came to. */
export interface ToolResultPart {
  readonly type: 'tool-result';
  readonly tool_call_id: string;
  readonly tool_name: string;
  /** Any JSON. */
  readonly result: JsonValue;
  readonly is_error: boolean;
  /** The exact JSON text of `result`, where numbers must keep their digits: of an accepted answer only. */
  readonly result_text?: string;
  readonly synthetic?: SyntheticReason;
  /** What the submission came to that this result answers; of calls of the finalizer only, one in a step. */
  readonly attempt?: ReceiptAttempt;
  readonly provider_executed?: boolean;
  readonly provider_metadata?: ProviderMetadata;
}

/** Where a model says that it has something from. */
export interface SourcePart {
  readonly type: 'source';
  readonly source_id: string;
  readonly url?: string;
  readonly title?: string;
}

/** A file, by its address or its bytes in Base64. */
export interface FilePart {
  readonly type: 'file';
  readonly media_type: string;
  readonly filename?: string;
  readonly url?: string;
  readonly data?: string;
}

/** How many failures a request may have. */
export interface RequestLimits {
  /** Answers in text only, one after the other, the last of which fails the request. */
  readonly text_only: number;
  /** Invalid submissions in all, the last of which fails the request. */
  readonly max_repairs: number;
}

/** What the answer of a request must be. Stands on the user's message; made by the server, never shown to a model. */
export interface ResponseFormatPart {
  readonly type: 'response-format';
  readonly request_id: string;
  readonly name: string;
  readonly description?: string;
  /** The JSON Schema as text, so that its order and its characters stay. */
  readonly schema_text: string;
  readonly limits: RequestLimits;
}

/** What the server tells a model about an answer that is missing or wrong, where no call is there to be answered. */
export interface CorrectivePart {
  readonly type: 'corrective';
  readonly request_id: string;
  readonly text: string;
  readonly attempt: ReceiptAttempt;
}

/** What stands for all the messages before it in the prompts that follow. */
export interface SummaryPart {
  readonly type: 'summary';
  readonly text: string;
}

/** How a request ended; stands at the end of its turn, is committed with the receipt, and is never shown to a model. */
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

/** What a client may write. */
export type InputPart = TextPart | FilePart;

const metadata = z.record(z.string(), z.unknown()).exactOptional();
const shown = z.string().exactOptional();
const flag = z.boolean().exactOptional();
const count = z.int().min(1);
// Parts are read from JSON, so that this is JSON: a schema that looks would go as deep as a stranger's value, and overflow the stack.
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

/** Reads a part from the store, or describes it to a client. */
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

/** What else there is, such as `file:`, would be opened by whoever fetches it: a model's server may stand on this machine. */
const address = z
  .string()
  .regex(/^(?:https?:\/\/|data:)/iu, 'Expected an address of `https:`, `http:` or `data:`')
  .exactOptional();
/** An address in the place of bytes would be fetched like one. */
const bytes = z
  .string()
  .regex(/^[A-Za-z0-9+/_-]+={0,2}$/u, 'Expected the bytes in Base64')
  .exactOptional();

const inputFile = file
  .extend({ url: address, data: bytes })
  .refine(({ url, data }) => (url === undefined) !== (data === undefined), {
    error: 'Must have either `url` or `data`, and not both',
  });

/** Reads a part that a client wrote: words and files, and nothing that the server makes. */
export const inputPartSchema: WireSchema<InputPart> = z.discriminatedUnion(
  'type',
  [text.omit({ provider_metadata: true }), inputFile],
  // A part that is no object has no `type` to name.
  { error: ({ code }) => (code === 'invalid_union' ? 'Must be `text` or `file`' : undefined) },
);
