/** Owns a conversation of the wire as the rows that turns are decided from; they live as long as the request. Pure. */
import { DEFAULT_REQUEST_LIMITS } from '../format/request-limits.ts';
import type { ResponseFormat } from '../format/parse-response-format.ts';
import { toFormatPart } from '../format/stored-format.ts';
import type { MessageRow } from '../contract/rows.ts';
import type { WireMessage } from './wire-request.ts';

/** There is one request in these rows. */
const REQUEST_ID = 'request';

/** What a row is made from. */
export type RowContent = Pick<MessageRow, 'role' | 'parts'> & Partial<MessageRow>;

/** Makes the row with the number `id`. */
export function makeRow(id: number, content: RowContent): MessageRow {
  return { id, chatId: '', visibility: 'all', isCompressed: false, isDeleted: false, ...content };
}

/** Makes the rows of a conversation. */
export function rowsOf(messages: readonly WireMessage[]): MessageRow[] {
  return messages.map(({ role, parts }, index) => makeRow(index + 1, { role, parts }));
}

/** The row that begins the request. It holds nothing that a model is shown: bounds count from here, and not what the caller tells of earlier steps. */
export function requestRow(id: number, format: ResponseFormat): MessageRow {
  const part = toFormatPart(format, { requestId: REQUEST_ID, limits: DEFAULT_REQUEST_LIMITS });
  return makeRow(id, { role: 'user', parts: [part], requestId: REQUEST_ID });
}
