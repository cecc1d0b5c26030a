/** Owns the receipt: the one lasting account of what became of a request. Pure. */
import { z } from 'zod';
import type { JsonValue } from '../../schema/json-value.ts';
import type { WireSchema } from './wire-schema.ts';

/** How the answer was asked for: a tool that must be called, the provider's own schema mode, or a tool and a reminder. */
export type Mechanism = 'required' | 'native' | 'auto';

/** Where a request stands. The last three are final. */
export type RequestStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled';

/** Why there is no answer: the first three with `failed`, the others with `canceled`. */
export type RequestErrorCode =
  | 'structured_output_not_produced'
  | 'generation_failed'
  | 'configuration_error'
  | 'interrupted'
  | 'superseded'
  | 'queue_deleted'
  | 'chat_deleted';

/** What bound was reached; with `structured_output_not_produced`. */
export type NotProducedReason =
  | 'text_only'
  | 'validation_exhausted'
  | 'step_budget'
  | 'empty_response'
  | 'truncated';

/** Why a request ended without an answer. The message says what to do next, and holds nothing that a client or a model wrote. */
export interface RequestError {
  readonly code: RequestErrorCode;
  readonly reason?: NotProducedReason;
  readonly message: string;
}

/** What was wrong with one submission at one place. */
export interface AttemptIssue {
  /** JSON Pointer into the answer. */
  readonly path: string;
  readonly rule: string;
}

/** What one step gave for the answer. */
export interface ReceiptAttempt {
  readonly code:
    | 'ok'
    | 'text_only'
    | 'invalid'
    | 'not_alone'
    | 'malformed'
    | 'too_large'
    | 'truncated'
    | 'empty';
  readonly mechanism?: Mechanism;
  readonly issues?: readonly AttemptIssue[];
  /** What was undone before the schema accepted the value, such as `unwrapped-output` or `parsed-string`. */
  readonly repairs?: readonly string[];
  /** False where numbers of the submission may have been rounded on the way. */
  readonly numbers_exact?: boolean;
}

/** Tokens of all the calls of a request. */
export interface ReceiptUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cost_usd?: number;
}

/** What became of a request. Exactly one for each that was accepted. */
export interface Receipt {
  readonly request_id: string;
  readonly status: RequestStatus;
  readonly value?: JsonValue;
  /** The value as canonical JSON whose numbers keep all their digits. */
  readonly value_text?: string;
  /** SHA-256 of `value_text` in UTF-8, in hex. */
  readonly value_hash?: string;
  /** False where the provider's adapter may have rounded numbers on the way. */
  readonly numbers_exact?: boolean;
  readonly error?: RequestError;
  /** SHA-256 of the canonical JSON of the schema, in hex. */
  readonly schema_hash: string;
  readonly mechanism?: Mechanism;
  readonly attempts: readonly ReceiptAttempt[];
  readonly model?: string;
  readonly usage?: ReceiptUsage;
  readonly duration_ms?: number;
}

const mechanism = z.enum(['required', 'native', 'auto']);
const tokens = z.int().min(0);

const requestError = z.strictObject({
  code: z.enum([
    'structured_output_not_produced',
    'generation_failed',
    'configuration_error',
    'interrupted',
    'superseded',
    'queue_deleted',
    'chat_deleted',
  ]),
  reason: z
    .enum(['text_only', 'validation_exhausted', 'step_budget', 'empty_response', 'truncated'])
    .exactOptional(),
  message: z.string(),
});

/** Reads the tokens of calls. */
export const receiptUsageSchema: WireSchema<ReceiptUsage> = z.strictObject({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_creation_input_tokens: tokens,
  cache_read_input_tokens: tokens,
  cost_usd: z.number().exactOptional(),
});

/** Reads one attempt. */
export const receiptAttemptSchema: WireSchema<ReceiptAttempt> = z.strictObject({
  code: z.enum(['ok', 'text_only', 'invalid', 'not_alone', 'malformed', 'too_large', 'truncated', 'empty']),
  mechanism: mechanism.exactOptional(),
  issues: z.array(z.strictObject({ path: z.string(), rule: z.string() })).exactOptional(),
  repairs: z.array(z.string()).exactOptional(),
  numbers_exact: z.boolean().exactOptional(),
});

/** Any JSON: what came through `JSON.parse` is nothing else, and walking it would overflow the stack where it is deep. */
const json = z.unknown() as WireSchema<JsonValue>;

/** Reads a receipt from the store, and describes it to a client. */
export const receiptSchema: WireSchema<Receipt> = z.strictObject({
  request_id: z.string(),
  status: z.enum(['queued', 'running', 'succeeded', 'failed', 'canceled']),
  value: json.exactOptional(),
  value_text: z.string().exactOptional(),
  value_hash: z.string().exactOptional(),
  numbers_exact: z.boolean().exactOptional(),
  error: requestError.exactOptional(),
  schema_hash: z.string(),
  mechanism: mechanism.exactOptional(),
  attempts: z.array(receiptAttemptSchema),
  model: z.string().exactOptional(),
  usage: receiptUsageSchema.exactOptional(),
  duration_ms: z.number().exactOptional(),
});
