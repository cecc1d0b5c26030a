/** List of an owner's chats. */
import type { ExpressionBuilder } from 'kysely';
import type { StoredChat } from '@truecast/store/internal/tables/chats';
import type { Tables } from '@truecast/store/internal/tables/tables';
import type { ChatLabel } from '../../contract/chat-labels.ts';
import type { RowStatus } from '../../contract/rows.ts';
import { toChat, type Chat } from '../rows/chat-records.ts';
import { labelled } from '../rows/chat-labels.ts';
import { toMicroUsd } from '../../contract/micro-usd.ts';
import type { StateDb } from '../rows/machine-context.ts';
import type { ListDirection } from '../../contract/run-archive.ts';
import { afterCursor, cutPage, onSide } from './cursors.ts';
import { BEGINNING_OF_VALUE, type ListedRequest } from './listed-request.ts';
import { requestsWithEvidence } from './request-evidence.ts';
import { containsText } from './text-match.ts';

export interface ListedChat extends Chat {
  /** First characters of the newest validated value as JSON. Only with `hasPreview`. */
  readonly valuePreview?: string;
  /** The newest request that succeeded or failed. Only with `hasPreview`. */
  readonly lastRequest?: ListedRequest;
}

export interface ChatPage {
  readonly chats: readonly ListedChat[];
  /** Cursor of the next page. */
  readonly next?: string;
}

export interface ChatFilter {
  readonly owner: string;
  readonly limit: number;
  readonly status?: RowStatus;
  readonly model?: string;
  /** Text in the title. Case is ignored. */
  readonly q?: string;
  readonly label?: ChatLabel;
  /** Outcome of the newest request that succeeded or failed. */
  readonly lastRequestStatus?: 'succeeded' | 'failed';
  /** Name of the schema of one of its requests. */
  readonly name?: string;
  /** Times of creation, in milliseconds since 1970. */
  readonly since?: number;
  readonly until?: number;
  /** Only chats whose newest request that succeeded or failed cost at least as much. */
  readonly minCostUsd?: number;
  /** `next` of the previous page. */
  readonly after?: string;
  /**
   * By creation, by last change, or by a number of the newest request that succeeded or failed. A chat
   * without the number is left out. @default 'created'
   */
  readonly sort?: ChatSort;
  /** @default 'desc' */
  readonly direction?: ListDirection;
  /** @default false */
  readonly hasPreview?: boolean;
}

export type ChatSort = keyof typeof COLUMNS;

const COLUMNS = {
  created: 'created_at',
  updated: 'updated_at',
  attempts: 'last_attempts',
  duration: 'last_duration_ms',
  cost: 'last_cost_micro_usd',
} as const;

/**
 * Lists an owner's chats, the newest first unless the filter has another order.
 *
 * Sorted by last change, a chat that changes between two pages moves to the first one.
 */
export async function listChats(db: StateDb, filter: ChatFilter): Promise<ChatPage> {
  const { limit, after, hasPreview = false } = filter;
  const { column, direction } = orderOf(filter);
  let query = chatsOf(db, filter)
    .selectAll()
    .$if(hasPreview, (chats) => chats.select([newestValue, (each) => newestEnded(each, 'id').as('last_id')]))
    .orderBy(column, direction)
    .orderBy('id', direction)
    .limit(limit + 1);
  if (after !== undefined) query = query.where(afterCursor(after, { column, direction }));
  const { page, next } = cutPage<typeof column, PreviewedRow>(await query.execute(), limit, column);
  const ended = await requestsWithEvidence(
    db,
    page.flatMap(({ last_id: id }) => id ?? []),
  );
  return {
    chats: page.map((row) => toListed(row, ended.get(row.last_id ?? ''))),
    ...(next !== undefined && { next }),
  };
}

function orderOf({ sort = 'created', direction = 'desc', after }: ChatFilter) {
  return { column: COLUMNS[sort], direction, after };
}

/** The conditions read rows of this owner only, in the order of the list, and end with the page. */
function chatsOf(db: StateDb, filter: ChatFilter) {
  const { owner, status, model, q, label, lastRequestStatus, name, since, until, minCostUsd } = filter;
  const order = orderOf(filter);
  const { column } = order;
  let query = db.selectFrom('chats').where('owner', '=', owner).where('deleted', '=', 0);
  if (status !== undefined) query = query.where('status', '=', status);
  if (model !== undefined) query = query.where('model', '=', model);
  if (q !== undefined) query = query.where(containsText('title', q));
  if (label !== undefined) query = query.where(labelled(label));
  if (since !== undefined) query = query.where(onSide(order, 'created_at', '>=', since));
  if (until !== undefined) query = query.where(onSide(order, 'created_at', '<', until));
  if (column !== 'created_at' && column !== 'updated_at') query = query.where(column, 'is not', null);
  if (minCostUsd !== undefined) {
    query = query.where(onSide(order, 'last_cost_micro_usd', '>=', toMicroUsd(minCostUsd)));
  }
  if (lastRequestStatus !== undefined) {
    query = query.where((each) => each(newestEnded(each, 'status'), '=', lastRequestStatus));
  }
  if (name === undefined) return query;
  return query.where(({ exists, selectFrom }) =>
    exists(
      selectFrom('chat_requests')
        .select('chat_requests.id')
        .whereRef('chat_requests.chat_id', '=', 'chats.id')
        .where('chat_requests.name', '=', name),
    ),
  );
}

/**
 * Beginning of the newest value of a chat, in the statement of the page. A request changes last when
 * it ends, so the index on revisions finds it.
 */
function newestValue(builder: ExpressionBuilder<Tables, 'chats'>) {
  return builder
    .selectFrom('chat_requests')
    .select(BEGINNING_OF_VALUE.as('beginning'))
    .whereRef('chat_id', '=', 'chats.id')
    .where('status', '=', 'succeeded')
    .orderBy('revision', 'desc')
    .limit(1)
    .as('value_preview');
}

/**
 * Column of the newest request of a chat that succeeded or failed: a list without it would look as if the
 * value of an earlier request was the answer. A canceled request neither failed nor answered.
 */
function newestEnded(builder: ExpressionBuilder<Tables, 'chats'>, column: 'id' | 'status') {
  return builder
    .selectFrom('chat_requests')
    .select(`chat_requests.${column} as found`)
    .whereRef('chat_id', '=', 'chats.id')
    .where('chat_requests.status', 'in', ['succeeded', 'failed'])
    .orderBy('revision', 'desc')
    .limit(1);
}

interface PreviewedRow extends StoredChat {
  readonly value_preview?: string | null;
  readonly last_id?: string | null;
}

function toListed(row: PreviewedRow, lastRequest: ListedRequest | undefined): ListedChat {
  const { value_preview: preview } = row;
  return {
    ...toChat(row),
    ...(typeof preview === 'string' && { valuePreview: preview }),
    ...(lastRequest !== undefined && { lastRequest }),
  };
}
