/** Zod schemas of message parts. Pure. Parts that only the server creates are rejected as input. */
import { z } from 'zod';
import type { InputPart, MessagePart } from '@truecast/client/internal/wire/message-parts';
import type { JsonValue } from '@truecast/core/internal/schema/json-value';
import { receiptAttemptSchema, receiptUsageSchema } from './receipt.ts';
import { timeSchema } from './time-schema.ts';
import type { WireSchema } from './wire-schema.ts';

export type {
  CorrectivePart,
  FilePart,
  InputPart,
  MessagePart,
  OutcomePart,
  ProviderMetadata,
  RequestLimits,
  ResponseFormatPart,
  SummaryPart,
  SyntheticReason,
  ToolCallPart,
  ToolResultPart,
} from '@truecast/client/internal/wire/message-parts';

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
  type: z.literal('tool_call'),
  tool_call_id: z.string(),
  tool_name: z.string(),
  args: z.string(),
  provider_executed: flag,
  numbers_exact: flag,
  provider_metadata: metadata,
});
const synthetic = z.enum(['interrupted', 'canceled', 'deadline', 'unknown', 'not_run', 'rejected']);
const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_call_id: z.string(),
  tool_name: z.string(),
  result: json,
  is_error: z.boolean(),
  result_text: shown,
  synthetic: synthetic.exactOptional(),
  attempt: receiptAttemptSchema.exactOptional(),
  started_at: timeSchema.exactOptional(),
  ended_at: timeSchema.exactOptional(),
  usage: receiptUsageSchema.exactOptional(),
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
  type: z.literal('response_format'),
  request_id: z.string(),
  name: z.string(),
  description: shown,
  schema_text: z.string(),
  limits: z.strictObject({ text_only: count, max_repairs: count, deadline_seconds: count.exactOptional() }),
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

/** Excludes schemes such as `file:`. A model server can run on this machine and would open them. */
const address = z
  .string()
  .regex(/^(?:https?:\/\/|data:)/iu, 'Expected an address of `https:`, `http:` or `data:`')
  .exactOptional();
/** Excludes URLs, because a URL in place of bytes would be fetched too. */
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
