/** List of an owner's requests, without those of deleted chats. */
import { setImmediate } from 'node:timers/promises';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Tables } from '@truecast/store/internal/tables/tables';
import type { RequestRecord } from '../rows/chat-records.ts';
import type { StateDb } from '../rows/machine-context.ts';
import { afterCursor, cursorOf, cutPage } from './cursors.ts';
import {
  BEGINNING_OF_VALUE,
  LISTED_COLUMNS,
  toListedRequest,
  type ListedRequest,
  type ListedRow,
} from './listed-request.ts';
import { containsText } from './text-match.ts';

/** Request query. Times are milliseconds since 1970. */
export interface RequestFilter {
  readonly owner: string;
  readonly limit: number;
  readonly status?: RequestRecord['status'];
  readonly model?: string;
  readonly name?: string;
  readonly schemaHash?: string;
  /** Text in the name of the schema, or in the title of the chat. Case is ignored. */
  readonly q?: string;
  readonly since?: number;
  readonly until?: number;
  /** `next` of the previous page. */
  readonly after?: string;
  /** @default false */
  readonly hasPreview?: boolean;
}

/** A page of requests, newest first. */
export interface RequestPage {
  readonly requests: readonly ListedRequest[];
  /** Cursor of the next page. */
  readonly next?: string;
}

/**
 * Requests of one statement. SQLite walks over a value of megabytes to the columns after it, on the
 * main thread, so that other work runs between two statements.
 */
const SLICE_ROWS = 20;

/** Lists an owner's requests, newest first. */
export async function listRequests(db: StateDb, filter: RequestFilter): Promise<RequestPage> {
  const { limit } = filter;
  const rows: ListedRow[] = [];
  for (let { after } = filter; rows.length <= limit; await setImmediate()) {
    const count = Math.min(SLICE_ROWS, limit + 1 - rows.length);
    const slice = await requestsOf(db, { ...filter, ...(after !== undefined && { after }) })
      .limit(count)
      .execute();
    rows.push(...slice);
    const last = slice.at(-1);
    if (slice.length < count || last === undefined) break;
    after = cursorOf(last, 'created_at');
  }
  const { page, next } = cutPage(rows, limit, 'created_at');
  return { requests: page.map(toListedRequest), ...(next !== undefined && { next }) };
}

function requestsOf(
  db: StateDb,
  { owner, status, model, name, schemaHash, q, since, until, after, hasPreview = false }: RequestFilter,
) {
  let query = db
    .selectFrom('chat_requests')
    .select(LISTED_COLUMNS)
    .$if(hasPreview, (requests) => requests.select(BEGINNING_OF_VALUE.as('value_preview')))
    .where('owner', '=', owner)
    .where('erased', '=', 0)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc');
  if (status !== undefined) query = query.where('status', '=', status);
  if (model !== undefined) query = query.where('model', '=', model);
  if (name !== undefined) query = query.where('name', '=', name);
  if (schemaHash !== undefined) query = query.where('schema_hash', '=', schemaHash);
  if (q !== undefined) query = query.where(isNamed(owner, q));
  if (since !== undefined) query = query.where('created_at', '>=', since);
  if (until !== undefined) query = query.where('created_at', '<', until);
  return after === undefined ? query : query.where(afterCursor(after));
}

/** The chats are read once per query, not once per request. */
function isNamed(owner: string, text: string): Condition {
  return ({ or, eb, selectFrom }) => {
    const titled = selectFrom('chats')
      .select('chats.id')
      .where('chats.owner', '=', owner)
      .where('chats.deleted', '=', 0)
      .where(containsText('title', text));
    return or([containsText('name', text)(), eb('chat_id', 'in', titled)]);
  };
}

type Condition = (builder: ExpressionBuilder<Tables, 'chat_requests'>) => Expression<SqlBool>;
