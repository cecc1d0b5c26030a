/** List of an owner's requests, without those of deleted chats. */
import { setImmediate } from 'node:timers/promises';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { sql } from '@truecast/store/internal/database/sql';
import type { Tables } from '@truecast/store/internal/tables/tables';
import type { RequestRecord } from '../rows/chat-records.ts';
import type { StateDb } from '../rows/machine-context.ts';
import type { ListDirection, ListSort } from '../../contract/run-archive.ts';
import { afterCursor, cutPage, onSide } from './cursors.ts';
import { cursorOf, SORT_COLUMNS } from './list-cursor.ts';
import {
  BEGINNING_OF_VALUE,
  LISTED_COLUMNS,
  toListedRequest,
  type ListedRequest,
  type ListedRow,
} from './listed-request.ts';
import { toMicroUsd } from '../../contract/micro-usd.ts';
import { withEvidence } from './request-evidence.ts';
import { labelled } from '../rows/chat-labels.ts';
import type { ChatLabel } from '../../contract/chat-labels.ts';
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
  /** Label of the chat. */
  readonly label?: ChatLabel;
  /** Only requests that cost at least as much. One without a known cost is left out. */
  readonly minCostUsd?: number;
  /** `next` of the previous page. */
  readonly after?: string;
  /** By creation, or by a number of the receipt. A request without the number is left out. @default 'created' */
  readonly sort?: ListSort;
  /** @default 'desc' */
  readonly direction?: ListDirection;
  /** @default false */
  readonly hasPreview?: boolean;
}

/** A page of requests in the order of its filter. */
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

/** Lists an owner's requests. */
export async function listRequests(db: StateDb, filter: RequestFilter): Promise<RequestPage> {
  const { limit, sort = 'created', hasPreview = false } = filter;
  const column = SORT_COLUMNS[sort];
  const found: FoundRequest[] = [];
  for (let { after } = filter; found.length <= limit; await setImmediate()) {
    const count = Math.min(SLICE_ROWS, limit + 1 - found.length);
    const slice = await requestsOf(db, { ...filter, ...(after !== undefined && { after }) })
      .limit(count)
      .execute();
    found.push(...slice.map((row) => ({ ...row, request: toListedRequest(row) })));
    const last = slice.at(-1);
    if (slice.length < count || last === undefined) break;
    after = cursorOf(last, column);
  }
  const { page, next } = cutPage(found, limit, column);
  return { requests: await shown(db, page, hasPreview), ...(next !== undefined && { next }) };
}

interface FoundRequest extends ListedRow {
  readonly request: ListedRequest;
}

/** The evidence is read in slices too. */
async function shown(
  db: StateDb,
  found: readonly FoundRequest[],
  hasPreview: boolean,
): Promise<readonly ListedRequest[]> {
  const requests = found.map(({ request }) => request);
  if (!hasPreview) return requests;
  const read: ListedRequest[] = [];
  for (let at = 0; at < requests.length; at += SLICE_ROWS) {
    read.push(...(await withEvidence(db, requests.slice(at, at + SLICE_ROWS))));
    await setImmediate();
  }
  return read;
}

function requestsOf(
  db: StateDb,
  {
    owner,
    status,
    model,
    name,
    schemaHash,
    q,
    label,
    since,
    until,
    minCostUsd,
    after,
    sort = 'created',
    direction = 'desc',
    hasPreview = false,
  }: RequestFilter,
) {
  const column = SORT_COLUMNS[sort];
  const isByTime = column === 'created_at';
  const hash = isByTime ? 'schema_hash' : UNINDEXED_HASH;
  const order = { column, direction, after };
  let query = db
    .selectFrom('chat_requests')
    .select(LISTED_COLUMNS)
    .$if(hasPreview, (requests) => requests.select(BEGINNING_OF_VALUE.as('value_preview')))
    .where('owner', '=', owner)
    .where('erased', '=', 0)
    .orderBy(column, direction)
    .orderBy('id', direction);
  if (!isByTime) query = query.where(column, 'is not', null);
  if (status !== undefined) query = query.where('status', '=', status);
  if (model !== undefined) query = query.where('model', '=', model);
  if (name !== undefined) query = query.where('name', '=', name);
  if (schemaHash !== undefined) query = query.where(hash, '=', schemaHash);
  if (q !== undefined) query = query.where(isNamed(owner, q));
  if (label !== undefined) query = query.where('chat_id', 'in', labelledChats(db, owner, label));
  if (since !== undefined) query = query.where(onSide(order, 'created_at', '>=', since));
  if (until !== undefined) query = query.where(onSide(order, 'created_at', '<', until));
  if (minCostUsd !== undefined) {
    query = query.where(onSide(order, 'cost_micro_usd', '>=', toMicroUsd(minCostUsd)));
  }
  return after === undefined ? query : query.where(afterCursor(after, order));
}

/** The index on schemas is in the order of time. See `onSide`. */
const UNINDEXED_HASH = sql<string>`cast(schema_hash as text)`;

function labelledChats(db: StateDb, owner: string, label: ChatLabel) {
  return db
    .selectFrom('chats')
    .select('chats.id')
    .where('chats.owner', '=', owner)
    .where('chats.deleted', '=', 0)
    .where(labelled(label));
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
