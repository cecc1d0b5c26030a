/** List of an owner's requests, without those of deleted chats. */
import { setImmediate } from 'node:timers/promises';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Tables } from '@truecast/store/internal/tables/tables';
import type { RequestRecord } from '../rows/chat-records.ts';
import type { StateDb } from '../rows/machine-context.ts';
import { afterCursor, cursorOf, cutPage } from './cursors.ts';
import { BEGINNING_OF_VALUE, LISTED_COLUMNS, toListedRequest, type ListedRequest } from './listed-request.ts';
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

/**
 * Requests that a page with a filter by cost reads at most. Costs have no index: a page that is short
 * has a `next`, and the reader goes on from there.
 */
const MAX_READ = 1_000;

/** Lists an owner's requests, newest first. */
export async function listRequests(db: StateDb, filter: RequestFilter): Promise<RequestPage> {
  const { limit, minCostUsd, hasPreview = false } = filter;
  const found: FoundRequest[] = [];
  let read = 0;
  for (let { after } = filter; found.length <= limit; await setImmediate()) {
    const count = minCostUsd === undefined ? Math.min(SLICE_ROWS, limit + 1 - found.length) : SLICE_ROWS;
    const slice = await requestsOf(db, { ...filter, ...(after !== undefined && { after }) })
      .limit(count)
      .execute();
    read += slice.length;
    const requests = slice.map((row) => ({ ...row, request: toListedRequest(row) }));
    found.push(...requests.filter(({ request }) => costs(request, minCostUsd)));
    const last = slice.at(-1);
    if (slice.length < count || last === undefined) break;
    after = cursorOf(last, 'created_at');
    if (read >= MAX_READ && found.length <= limit) {
      return { requests: await shown(db, found, hasPreview), next: after };
    }
  }
  const { page, next } = cutPage(found, limit, 'created_at');
  return { requests: await shown(db, page, hasPreview), ...(next !== undefined && { next }) };
}

interface FoundRequest {
  readonly id: string;
  readonly created_at: number;
  readonly request: ListedRequest;
}

function costs({ receipt }: ListedRequest, minCostUsd: number | undefined): boolean {
  return minCostUsd === undefined || (receipt.usage?.cost_usd ?? -1) >= minCostUsd;
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
    after,
    hasPreview = false,
  }: RequestFilter,
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
  if (label !== undefined) query = query.where('chat_id', 'in', labelledChats(db, owner, label));
  if (since !== undefined) query = query.where('created_at', '>=', since);
  if (until !== undefined) query = query.where('created_at', '<', until);
  return after === undefined ? query : query.where(afterCursor(after));
}

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
