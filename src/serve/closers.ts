/** Owns the ends of what was opened: each is reached, whatever became of the others. */

/** What ends one part. */
export type Closer = () => Promise<void>;

/** Calls them all, the last first, each once the one before it has ended. Rejects with the first failure, after the last one was called. */
export async function closeAll(closers: readonly Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.toReversed()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
