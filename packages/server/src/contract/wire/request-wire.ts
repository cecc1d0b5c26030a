/** Zod schemas of the list of requests. Pure. */
import { z } from 'zod';
import type { RequestDetailView, RequestPageView } from '@truecast/client/internal/wire/request';
import { receiptSchema, requestViewSchema, type Receipt } from '../receipt.ts';
import type { WireSchema } from '../wire-schema.ts';

export type { RequestDetailView, RequestPageView, RequestView } from '@truecast/client/internal/wire/request';

/** Schema of a receipt in the API description. */
export const receiptViewSchema: WireSchema<Receipt> = receiptSchema.meta({ ref: 'Receipt' });

/** Schema of a page of requests. */
export const requestPageViewSchema: WireSchema<RequestPageView> = z
  .strictObject({ requests: z.array(requestViewSchema), next: z.string().exactOptional() })
  .meta({ ref: 'RequestPage' });

/** Schema of a request with its receipt. */
export const requestDetailViewSchema: WireSchema<RequestDetailView> = z
  .strictObject({ request: requestViewSchema, receipt: receiptViewSchema, schema_text: z.string() })
  .meta({ ref: 'RequestDetail' });
