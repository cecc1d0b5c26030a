/** Owns the errors that the store makes itself, the same on both databases. */
import { StoreError } from '../errors/store-error.ts';

/** Says that a statement failed, that the work went on, and that the database did not. */
export function abortedError(cause: unknown): StoreError {
  return new StoreError(
    'A statement of the transaction failed and the work went on: nothing is stored. Let the error of a statement end the work.',
    { code: 'query', cause },
  );
}

/** Says that the store was closed before. */
export function closedError(): StoreError {
  return new StoreError('The store is closed. Open it again.', { code: 'closed' });
}
