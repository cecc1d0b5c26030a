/** Maps Postgres and network errors to `StoreError`. */
import { StoreError, type StoreErrorCode } from '@truecast/core/internal/errors/store-error';

interface Meaning {
  readonly code: StoreErrorCode;
  readonly next: string;
}

const LOST: Meaning = {
  code: 'connection-lost',
  next: 'Check that the Postgres server runs and can be reached, then try again.',
};
const BUSY: Meaning = { code: 'busy', next: 'Try again.' };
const REFUSED: Meaning = {
  code: 'cannot-open',
  next: 'Check the user, the password and the database in the address.',
};

/**
 * By SQLSTATE or its class, longer codes first
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  '25006': {
    code: 'write-failed',
    next: 'The Postgres server is read-only, as a standby is. Connect to the primary, or make the server writable.',
  },
  '25P03': LOST,
  '40001': BUSY,
  '40P01': BUSY,
  '42501': { code: 'cannot-open', next: "Grant the user the right to create in the database's schema." },
  '53200': {
    code: 'busy',
    next: 'The Postgres server has no memory left. Give it more, or run fewer processes.',
  },
  '53300': { code: 'busy', next: 'Raise `max_connections` of the server, or run fewer processes.' },
  '55P03': BUSY,
  '57P01': LOST,
  '57P02': LOST,
  '57P03': LOST,
  '57P05': LOST,
  '08': LOST,
  '23': { code: 'constraint', next: 'Read the row stored under this key before writing.' },
  '28': REFUSED,
  '3D': REFUSED,
  '53': { code: 'write-failed', next: "Free space on the server's disk, then try again." },
  '58': { code: 'write-failed', next: "Check the server's log and its disk." },
};
const OURS: Meaning = {
  code: 'query',
  next: 'This is a bug in Truecast. `docs/errors.md` says how to report it.',
};

/** Converts an error of `pg` to a `StoreError`. */
export function toPostgresStoreError(error: unknown, doing: string): StoreError {
  if (StoreError.isInstance(error)) return error;
  const { code, next } = meaningOf(error);
  return new StoreError(`${doing}: ${reasonOf(error)}. ${next}`, { code, cause: error });
}

/**
 * Returns true if a prepared statement is outdated, because a migration of another process changed
 * its columns.
 */
export function isStalePlan(error: unknown): boolean {
  return error instanceof Error && error.message === 'cached plan must not change result type';
}

function meaningOf(error: unknown): Meaning {
  if (isStalePlan(error)) return BUSY;
  const state = error instanceof Error && 'code' in error ? String(error.code) : '';
  // An error without SQLSTATE comes from a socket, or from `pg` about a socket.
  if (!/^[\dA-Z]{5}$/u.test(state) || state.startsWith('E')) return LOST;
  return MEANINGS[state] ?? MEANINGS[state.slice(0, 2)] ?? OURS;
}

/**
 * A refused connection to a host name with several addresses is an `AggregateError` without a
 * message.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : error.name;
  return error.message === '' ? code : error.message;
}
