/** Maps SQLite result codes to `StoreError`. */
import { StoreError, type StoreErrorCode } from '@truecast/core/internal/errors/store-error';

/** Primary result codes that a caller can act on (https://sqlite.org/rescode.html). */
const CODES: Readonly<Record<number, { readonly code: StoreErrorCode; readonly next: string }>> = {
  5: {
    code: 'busy',
    next: 'Another process locks the file. Stop it, try again, or use a Postgres server for several processes.',
  },
  6: { code: 'busy', next: 'Try again.' },
  8: { code: 'write-failed', next: 'The file or its folder cannot be written. Check its owner.' },
  10: { code: 'write-failed', next: 'The disk failed. Check it, then open the store again.' },
  11: { code: 'write-failed', next: 'The file is damaged. Restore a backup.' },
  13: { code: 'write-failed', next: 'The disk is full. Free some space, then try again.' },
  14: { code: 'cannot-open', next: 'Check that the folder exists and can be written.' },
  19: { code: 'constraint', next: 'Read the row stored under this key before writing.' },
  26: { code: 'cannot-open', next: 'Name a file that Truecast created, or one that does not exist yet.' },
};

/** Returns the primary result code of an error of `node:sqlite`. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode % 256 : undefined;
}

/** Returns true if another connection holds the file. */
export function isSqliteBusy(error: unknown): boolean {
  return [5, 6].includes(primaryCode(error) ?? 0);
}

/** Converts an error of `node:sqlite` to a `StoreError`. */
export function toSqliteStoreError(error: unknown, doing: string): StoreError {
  if (StoreError.isInstance(error)) return error;
  const known = CODES[primaryCode(error) ?? 0];
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(
    `${doing}: ${reason}. ${known?.next ?? 'This is a bug in Truecast. `docs/errors.md` says how to report it.'}`,
    { code: known?.code ?? 'query', cause: error },
  );
}
