/** Errors that the store raises itself, the same on both databases. */
import { StoreError } from '@truecast/core/internal/errors/store-error';

/** Error for work that continued after a failed statement: the transaction was not committed. */
export function abortedError(cause: unknown): StoreError {
  return new StoreError(
    'A statement of the transaction failed, but the callback continued, so nothing is stored. Let the error of a statement end the callback.',
    { code: 'query', cause },
  );
}

export function closedError(): StoreError {
  return new StoreError('The store is closed. Open it again.', { code: 'closed' });
}

/** Error for a commit whose outcome is unknown, because of `reason`. */
export function unknownCommitError(reason: string, cause: unknown): StoreError {
  return new StoreError(
    `${reason} while a transaction was committed, so its outcome is unknown. Read the rows that it writes before you run it again.`,
    { code: 'commit-unknown', cause },
  );
}
