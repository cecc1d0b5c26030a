/** Row of a receipt in a list. */
import type { RequestView } from '@truecast/client/internal/wire/request';

/** The fields of a request that a row shows. */
export type ReceiptRow = Pick<
  RequestView,
  | 'request_id'
  | 'chat_id'
  | 'name'
  | 'status'
  | 'model'
  | 'duration_ms'
  | 'created_at'
  | 'value_preview'
  | 'question_preview'
  | 'first_issue'
  | 'usage'
> & {
  readonly error?: { readonly message: string };
  readonly attempts: readonly unknown[];
};
