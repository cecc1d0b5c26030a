/** Receipt: the durable outcome of a request. Pure. */
import { z } from 'zod';
import type { JsonValue } from '../../schema/json-value.ts';
import type { WireSchema } from './wire-schema.ts';

/**
 * How the answer was requested: a forced tool call, the provider's schema mode, or a tool and a
 * reminder.
 */
export type Mechanism = 'required' | 'native' | 'auto';

/** Status of a request. The last three are final. */
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

/** The limit reached; with `structured_output_not_produced`. */
export type NotProducedReason =
  | 'text_only'
  | 'validation_exhausted'
  | 'step_budget'
  | 'empty_response'
  | 'truncated';

/**
 * Error of a request without an answer. The message states the next step and contains no text of a
 * client or model.
 */
export interface RequestError {
  readonly code: RequestErrorCode;
  readonly reason?: NotProducedReason;
  readonly message: string;
}

/** One problem of a submission. */
export interface AttemptIssue {
  /** JSON Pointer into the answer. */
  readonly path: string;
  readonly rule: string;
}

/** Outcome of one step for the answer. */
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
  /**
   * Repairs before the schema accepted the value, such as `unwrapped-output` or `parsed-string`.
   */
  readonly repairs?: readonly string[];
  /** False if numbers of the submission can have been rounded in transit. */
  readonly numbers_exact?: boolean;
}

/** Tokens of all calls of a request. */
export interface ReceiptUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cost_usd?: number;
}

/** Outcome of a request. Each accepted request has exactly one. */
export interface Receipt {
  readonly request_id: string;
  readonly status: RequestStatus;
  readonly value?: JsonValue;
  /** The value as canonical JSON with exact numbers. */
  readonly value_text?: string;
  /** SHA-256 of `value_text` in UTF-8, in hex. */
  readonly value_hash?: string;
  /** False if the provider's adapter can have rounded numbers. */
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

/** Schema of token counts. */
export const receiptUsageSchema: WireSchema<ReceiptUsage> = z.strictObject({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_creation_input_tokens: tokens,
  cache_read_input_tokens: tokens,
  cost_usd: z.number().exactOptional(),
});

/** Schema of one attempt. */
export const receiptAttemptSchema: WireSchema<ReceiptAttempt> = z.strictObject({
  code: z.enum(['ok', 'text_only', 'invalid', 'not_alone', 'malformed', 'too_large', 'truncated', 'empty']),
  mechanism: mechanism.exactOptional(),
  issues: z.array(z.strictObject({ path: z.string(), rule: z.string() })).exactOptional(),
  repairs: z.array(z.string()).exactOptional(),
  numbers_exact: z.boolean().exactOptional(),
});

/** Parsed values are JSON already. A recursive schema would overflow the stack on a deep value. */
const json = z.unknown() as WireSchema<JsonValue>;

/** Schema of a receipt, for the store and the API description. */
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
