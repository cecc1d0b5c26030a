/** Owns telling which chats are gone, for whoever holds something of theirs outside of the database. */
import type { MachineContext } from './machine-context.ts';

/** How many ids one statement takes. */
const IDS_AT_ONCE = 500;

/**
 * Names those of `chatIds` that were deleted longer ago than a lease lasts: whoever had the turn has noticed by then, or is dead.
 *
 * What is unknown is not named: it may be of another database.
 */
export async function deletedChats(
  { store, now, leaseMs }: MachineContext,
  chatIds: readonly string[],
): Promise<string[]> {
  const deleted: string[] = [];
  for (let start = 0; start < chatIds.length; start += IDS_AT_ONCE) {
    const rows = await store.db
      .selectFrom('chats')
      .select('id')
      .where('id', 'in', chatIds.slice(start, start + IDS_AT_ONCE))
      .where('deleted', '=', 1)
      .where('updated_at', '<=', now() - leaseMs)
      .execute();
    deleted.push(...rows.map(({ id }) => id));
  }
  return deleted;
}
