/** Rows of sign-in codes: add, find by hash, use once, and forget. The codes themselves are never stored. */
import type { StateDb } from '../rows/machine-context.ts';

/** A stored code. */
export interface KeptCode {
  readonly hash: string;
  /** The token combined with the code. Each of them alone is as good as random. */
  readonly half: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Stores a code, and deletes those that expired. */
export async function addSignInCode(db: StateDb, code: KeptCode, now: number): Promise<void> {
  await forgetSignInCodes(db, now);
  const { hash, half, expiresAt } = code;
  await db.insertInto('sign_in_codes').values({ hash, half, expires_at: expiresAt }).execute();
}

/** Returns the half of a code that is neither used nor expired. */
export async function findSignInCode(db: StateDb, hash: string, now: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('sign_in_codes')
    .select('half')
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.half;
}

/** Uses a code. Returns false if another request, also of another process, used it first. */
export async function takeSignInCode(db: StateDb, hash: string): Promise<boolean> {
  const taken = await db
    .deleteFrom('sign_in_codes')
    .where('hash', '=', hash)
    .returning('hash')
    .executeTakeFirst();
  return taken !== undefined;
}

/** Deletes expired codes. */
export async function forgetSignInCodes(db: StateDb, now: number): Promise<void> {
  await db.deleteFrom('sign_in_codes').where('expires_at', '<=', now).execute();
}
