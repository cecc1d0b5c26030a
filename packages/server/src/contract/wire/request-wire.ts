/** Zod schemas of the list of requests. Pure. */
import { z } from 'zod';
import type { RequestDetailView, RequestPageView, RequestView } from '@truecast/client/internal/wire/request';
import {
  mechanismSchema,
  receiptAttemptSchema,
  receiptSchema,
  receiptUsageSchema,
  requestErrorSchema,
  type Receipt,
} from '../receipt.ts';
import type { WireSchema } from '../wire-schema.ts';

export type { RequestDetailView, RequestPageView, RequestView } from '@truecast/client/internal/wire/request';

const time = z.string().meta({ format: 'date-time' });

/** Schema of a receipt in the API description. */
export const receiptViewSchema: WireSchema<Receipt> = receiptSchema.meta({ ref: 'Receipt' });

/** Schema of a request in a list. */
const requestViewSchema: WireSchema<RequestView> = z
  .strictObject({
    request_id: z.string(),
    chat_id: z.string(),
    message_id: z.int().exactOptional(),
    status: z.enum(['queued', 'running', 'succeeded', 'failed', 'canceled']),
    value_hash: z.string().exactOptional(),
    numbers_exact: z.boolean().exactOptional(),
    error: requestErrorSchema.exactOptional(),
    schema_hash: z.string(),
    mechanism: mechanismSchema.exactOptional(),
    attempts: z.array(receiptAttemptSchema),
    model: z.string().exactOptional(),
    usage: receiptUsageSchema.exactOptional(),
    duration_ms: z.number().exactOptional(),
    created_at: time,
    started_at: time.exactOptional(),
    ended_at: time.exactOptional(),
  })
  .meta({ ref: 'Request' });

/** Schema of a page of requests. */
export const requestPageViewSchema: WireSchema<RequestPageView> = z
  .strictObject({ requests: z.array(requestViewSchema), next: z.string().exactOptional() })
  .meta({ ref: 'RequestPage' });

/** Schema of a request with its receipt. */
export const requestDetailViewSchema: WireSchema<RequestDetailView> = z
  .strictObject({ request: requestViewSchema, receipt: receiptViewSchema, schema_text: z.string() })
  .meta({ ref: 'RequestDetail' });
