/** List of an owner's chats. */
import type { ChatLabel } from '../../contract/chat-labels.ts';
import type { ChatStatus } from '../../contract/rows.ts';
import { toChat, type Chat } from '../rows/chat-records.ts';
import { labelled } from '../rows/chat-labels.ts';
import type { StateDb } from '../rows/machine-context.ts';
import { afterCursor, cutPage } from './cursors.ts';
import { containsText } from './text-match.ts';

/** A page of chats. */
export interface ChatPage {
  readonly chats: readonly Chat[];
  /** Cursor of the next page. */
  readonly next?: string;
}

/** Chat query. */
export interface ChatFilter {
  readonly owner: string;
  readonly limit: number;
  readonly status?: ChatStatus;
  readonly model?: string;
  /** Text in the title. Case is ignored. */
  readonly q?: string;
  readonly label?: ChatLabel;
  /** `next` of the previous page. */
  readonly after?: string;
  /** By creation or by last change, the newest first. @default 'created' */
  readonly sort?: ChatSort;
}

/** Order of a list of chats. */
export type ChatSort = 'created' | 'updated';

/**
 * Lists an owner's chats, the newest first.
 *
 * Sorted by last change, a chat that changes between two pages moves to the first one.
 */
export async function listChats(db: StateDb, filter: ChatFilter): Promise<ChatPage> {
  const { owner, limit, status, model, q, label, after, sort = 'created' } = filter;
  const time = sort === 'created' ? 'created_at' : 'updated_at';
  let query = db
    .selectFrom('chats')
    .selectAll()
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
  return { chats: page.map(toChat), ...(next !== undefined && { next }) };
}
