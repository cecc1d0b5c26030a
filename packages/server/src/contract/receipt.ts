/** Zod schema of receipts. Pure. */
import { z } from 'zod';
import type {
  Mechanism,
  Receipt,
  ReceiptAttempt,
  ReceiptUsage,
  RequestError,
} from '@truecast/client/internal/wire/receipt';
import {
  ATTEMPT_CODES,
  NOT_PRODUCED_REASONS,
  REQUEST_CODES,
} from '@truecast/client/internal/wire/wire-codes';
import type { JsonValue } from '@truecast/core/internal/schema/json-value';
import type { WireSchema } from './wire-schema.ts';

export type {
  AttemptIssue,
  Mechanism,
  NotProducedReason,
  Receipt,
  ReceiptAttempt,
  ReceiptUsage,
  RequestError,
  RequestErrorCode,
} from '@truecast/client/internal/wire/receipt';

/** Schema of a mechanism. */
export const mechanismSchema: WireSchema<Mechanism> = z.enum(['required', 'native', 'auto']);
const tokens = z.int().min(0);

/** Schema of a request's error. */
export const requestErrorSchema: WireSchema<RequestError> = z.strictObject({
  code: z.enum(REQUEST_CODES),
  reason: z.enum(NOT_PRODUCED_REASONS).exactOptional(),
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
  code: z.enum(ATTEMPT_CODES),
  mechanism: mechanismSchema.exactOptional(),
  issues: z.array(z.strictObject({ path: z.string(), rule: z.string() })).exactOptional(),
  repairs: z.array(z.enum(['parsed_string', 'unwrapped_output'])).exactOptional(),
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
  error: requestErrorSchema.exactOptional(),
  schema_hash: z.string(),
  mechanism: mechanismSchema.exactOptional(),
  attempts: z.array(receiptAttemptSchema),
  model: z.string().exactOptional(),
  usage: receiptUsageSchema.exactOptional(),
  duration_ms: z.number().exactOptional(),
});
