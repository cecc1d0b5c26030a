/** Lookup of deleted chats, for owners of external resources. */
import type { MachineContext } from './rows/machine-context.ts';

/** Ids per statement. */
const IDS_AT_ONCE = 500;

/**
 * Returns those of `chatIds` that were deleted longer ago than a lease lasts: their workers have
 * noticed, or are dead.
 *
 * Unknown ids are not returned: they can belong to another database.
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
