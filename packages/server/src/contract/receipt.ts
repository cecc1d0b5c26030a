/** Zod schemas of receipts. Pure. */
import { z } from 'zod';
import type {
  ReceiptMode,
  Receipt,
  ReceiptAttempt,
  ReceiptUsage,
  RequestError,
  RequestStatus,
} from '@truecast/client/internal/wire/receipt';
import type { RequestView } from '@truecast/client/internal/wire/request';
import type { DialectName } from '@truecast/client/internal/wire/response-format';
import {
  ATTEMPT_CODES,
  NOT_PRODUCED_REASONS,
  REPAIR_CODES,
  REQUEST_CODES,
  REQUEST_STATUSES,
} from '@truecast/client/internal/wire/wire-codes';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { JsonValue } from '@truecast/core/internal/schema/json-value';
import { timeSchema } from './time-schema.ts';
import type { WireSchema } from './wire-schema.ts';

export type {
  AttemptIssue,
  ReceiptMode,
  NotProducedReason,
  Receipt,
  ReceiptAttempt,
  ReceiptUsage,
  RequestError,
  RequestErrorCode,
} from '@truecast/client/internal/wire/receipt';

/** Schema of a status. */
export const requestStatusSchema: WireSchema<RequestStatus> = z.enum(REQUEST_STATUSES);

/** Schema of a mode. */
export const modeSchema: WireSchema<ReceiptMode> = z.enum(['tool', 'native', 'tool_auto']);
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

/** Schema of a provider's schema mode. */
export const dialectSchema: WireSchema<DialectName> = z.enum([
  'openai',
  'anthropic',
  'gemini',
  'claude_code',
  'codex',
  'grammar',
]);

/** Schema of the rules that only validation holds. */
export const unenforcedSchema: WireSchema<NonNullable<ReceiptAttempt['unenforced']>> = z.array(
  z.strictObject({ path: z.string(), keyword: z.string() }),
);

/** Schema of the reason why a model call waited. */
export const waitSchema: WireSchema<NonNullable<ReceiptAttempt['waited_for']>> = z.enum([
  'rate_limit',
  'outage',
  'concurrency',
]);

/** Schema of one attempt. Only receipts contain the facts of the model call. */
export const receiptAttemptSchema: WireSchema<ReceiptAttempt> = z.strictObject({
  code: z.enum(ATTEMPT_CODES),
  mode: modeSchema.exactOptional(),
  issues: z.array(z.strictObject({ path: z.string(), rule: z.string() })).exactOptional(),
  repairs: z.array(z.enum(Object.values(REPAIR_CODES))).exactOptional(),
  numbers_exact: z.boolean().exactOptional(),
  unenforced: unenforcedSchema.exactOptional(),
  message_id: z.int().exactOptional(),
  at: timeSchema.exactOptional(),
  duration_ms: z.number().exactOptional(),
  waited_ms: z.number().exactOptional(),
  waited_for: waitSchema.exactOptional(),
  usage: receiptUsageSchema.exactOptional(),
});

/** Parsed values are JSON already. A recursive schema would overflow the stack on a deep value. */
const json = z.unknown() as WireSchema<JsonValue>;

const RECEIPT_FIELDS = {
  request_id: z.string(),
  name: z.string().exactOptional(),
  status: requestStatusSchema,
  value: json.exactOptional(),
  value_text: z.string().exactOptional(),
  value_hash: z.string().exactOptional(),
  numbers_exact: z.boolean().exactOptional(),
  error: requestErrorSchema.exactOptional(),
  schema_hash: z.string(),
  mode: modeSchema.exactOptional(),
  attempts: z.array(receiptAttemptSchema),
  model: z.string().exactOptional(),
  dialect: dialectSchema.exactOptional(),
  usage: receiptUsageSchema.exactOptional(),
  duration_ms: z.number().exactOptional(),
  message_id: z.int().exactOptional(),
  created_at: timeSchema.exactOptional(),
  started_at: timeSchema.exactOptional(),
  ended_at: timeSchema.exactOptional(),
};

/** Schema of a receipt, for the store and the API description. */
export const receiptSchema: WireSchema<Receipt> = z.strictObject(RECEIPT_FIELDS);

const { value: _value, value_text: _text, ...FACTS } = RECEIPT_FIELDS;

/** Schema of a request in a list. */
export const requestViewSchema: WireSchema<RequestView> = z
  .strictObject({
    ...FACTS,
    chat_id: z.string(),
    value_preview: z.string().exactOptional(),
    created_at: timeSchema,
  })
  .meta({ ref: 'Request' });

/** Returns token counts of the wire as a usage. */
export function fromReceiptUsage(usage: ReceiptUsage): Usage {
  const { cost_usd: costUsd } = usage;
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheCreationInputTokens: usage.cache_creation_input_tokens,
    cacheReadInputTokens: usage.cache_read_input_tokens,
    ...(costUsd !== undefined && { costUsd }),
  };
}

/** Returns token counts in the names of the wire. */
export function toReceiptUsage(usage: Usage): ReceiptUsage {
  const { inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens, costUsd } = usage;
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_creation_input_tokens: cacheCreationInputTokens,
    cache_read_input_tokens: cacheReadInputTokens,
    ...(costUsd !== undefined && { cost_usd: costUsd }),
  };
}
