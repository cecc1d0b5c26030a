/** Cleanup stack: every closer runs, even after a failure. */

/** Closes one part. */
export type Closer = () => Promise<void>;

/**
 * Calls all closers in reverse order, one after the other. Rejects with the first failure after the
 * last call.
 */
export async function closeAll(closers: readonly Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.toReversed()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
