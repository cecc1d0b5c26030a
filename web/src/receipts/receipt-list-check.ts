/** Check of the server's list of receipts. Pure. */
import {
  anything,
  array,
  number,
  object,
  oneOf,
  optional,
  string,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { REQUEST_STATUSES } from '@truecast/client/internal/wire/wire-codes';
import type { ReceiptRow } from './receipt-rows.tsx';

/** A page of receipts. */
export interface ReceiptList {
  readonly requests: readonly ReceiptRow[];
  readonly next?: string;
}

/** Check of a page of receipts. */
export const receiptListCheck: Shape<ReceiptList> = object({
  requests: array(
    object({
      request_id: string,
      chat_id: string,
      name: optional(string),
      status: oneOf(...REQUEST_STATUSES),
      model: optional(string),
      duration_ms: optional(number),
      created_at: string,
      value_preview: optional(string),
      error: optional(object({ message: string })),
      attempts: array(anything),
    }),
  ),
  next: optional(string),
});
