/**
 * Converts a received conversation to rows for turn decisions. They live as long as the request.
 * Pure.
 */
import { DEFAULT_REQUEST_LIMITS } from '../../format/request-limits.ts';
import type { ResponseFormat } from '../../format/parse-response-format.ts';
import { toFormatPart } from '../../format/stored-format.ts';
import type { MessageRow } from '../../contract/rows.ts';
import type { WireMessage } from './wire-request.ts';

/** Request id: these rows have only one. */
const REQUEST_ID = 'request';

export type RowContent = Pick<MessageRow, 'role' | 'parts'> & Partial<MessageRow>;

/** Creates the row with the number `id`. */
export function makeRow(id: number, content: RowContent): MessageRow {
  return { id, chatId: '', visibility: 'all', isCompressed: false, isDeleted: false, ...content };
}

/** Creates the rows of a conversation. */
export function rowsOf(messages: readonly WireMessage[]): MessageRow[] {
  return messages.map(({ role, parts }, index) => makeRow(index + 1, { role, parts }));
}

/**
 * The row that starts the request. The model does not see it. Limits count from here, not from the
 * caller's earlier steps.
 */
export function requestRow(id: number, format: ResponseFormat): MessageRow {
  const part = toFormatPart(format, { requestId: REQUEST_ID, limits: DEFAULT_REQUEST_LIMITS });
  return makeRow(id, { role: 'user', parts: [part], requestId: REQUEST_ID });
}
