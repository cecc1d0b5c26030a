/** List of an owner's chats. */
import type { ExpressionBuilder } from 'kysely';
import type { StoredChat } from '@truecast/store/internal/tables/chats';
import type { Tables } from '@truecast/store/internal/tables/tables';
import type { ChatLabel } from '../../contract/chat-labels.ts';
import { toZod } from '../../contract/to-zod.ts';
import { requestError, type RequestError } from '@truecast/client/internal/wire/receipt';
import type { RowStatus } from '../../contract/rows.ts';
import { toChat, type Chat } from '../rows/chat-records.ts';
import { readJson } from '../rows/stored-json.ts';
import { labelled } from '../rows/chat-labels.ts';
import type { StateDb } from '../rows/machine-context.ts';
import { afterCursor, cutPage } from './cursors.ts';
import { BEGINNING_OF_VALUE } from './listed-request.ts';
import { containsText } from './text-match.ts';

export interface ListedChat extends Chat {
  /** First characters of the newest validated value as JSON. Only with `hasPreview`. */
  readonly valuePreview?: string;
  /** Error of the newest request that ended, if it failed. Only with `hasPreview`. */
  readonly lastFailure?: RequestError;
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
  /** `next` of the previous page. */
  readonly after?: string;
  /** By creation or by last change, the newest first. @default 'created' */
  readonly sort?: ChatSort;
  /** @default false */
  readonly hasPreview?: boolean;
}

export type ChatSort = 'created' | 'updated';

/**
 * Lists an owner's chats, the newest first.
 *
 * Sorted by last change, a chat that changes between two pages moves to the first one.
 */
export async function listChats(db: StateDb, filter: ChatFilter): Promise<ChatPage> {
  const { owner, limit, status, model, q, label, after, sort = 'created', hasPreview = false } = filter;
  const time = sort === 'created' ? 'created_at' : 'updated_at';
  let query = db
    .selectFrom('chats')
    .selectAll()
    .$if(hasPreview, (chats) => chats.select([newestValue, lastFailure]))
    .where('owner', '=', owner)
    .where('deleted', '=', 0)
    .orderBy(time, 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (status !== undefined) query = query.where('status', '=', status);
  if (model !== undefined) query = query.where('model', '=', model);
  if (q !== undefined) query = query.where(containsText('title', q));
  if (label !== undefined) query = query.where(labelled(label));
  if (after !== undefined) query = query.where(afterCursor(after, time));
  const { page, next } = cutPage(await query.execute(), limit, time);
  return { chats: page.map(toListed), ...(next !== undefined && { next }) };
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
 * Error of the newest request that ended, if it failed: a list without it would look as if the value of
 * an earlier request was the answer. A canceled request neither failed nor answered.
 */
function lastFailure(builder: ExpressionBuilder<Tables, 'chats'>) {
  return builder
    .selectFrom('chat_requests')
    .select((row) => row.case().when('status', '=', 'failed').then(row.ref('error')).end().as('failure'))
    .whereRef('chat_id', '=', 'chats.id')
    .where('status', 'in', ['succeeded', 'failed'])
    .orderBy('revision', 'desc')
    .limit(1)
    .as('last_failure');
}

interface PreviewedRow extends StoredChat {
  readonly value_preview?: string | null;
  readonly last_failure?: string | null;
}

function toListed(row: PreviewedRow): ListedChat {
  const { value_preview: preview, last_failure: failure } = row;
  return {
    ...toChat(row),
    ...(typeof preview === 'string' && { valuePreview: preview }),
    ...(typeof failure === 'string' && { lastFailure: readJson(toZod(requestError), failure) }),
  };
}
