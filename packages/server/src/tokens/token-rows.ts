/** Token rows: add, find by hash, list, revoke. The tokens themselves are never stored. */
import type { AccessTokenRow } from '@truecast/store/internal/tables/chats';
import { TOKEN_SCOPES, type AccessToken } from '../contract/access-tokens.ts';
import type { Store } from '@truecast/store/internal/database/store';
import { writeAudit } from '../state/rows/audit-log.ts';
import type { StateDb } from '../state/rows/machine-context.ts';
import { TOKEN_CHANNEL, tokenCacheOf } from './token-cache.ts';

export interface NewAccessToken extends Omit<AccessToken, 'revokedAt'> {
  readonly hash: string;
}

/** Stores a token's hash. */
export async function addToken(db: StateDb, token: NewAccessToken): Promise<void> {
  const { id, owner, name, hash, scopes, createdAt, expiresAt } = token;
  await db
    .insertInto('access_tokens')
    .values({
      id,
      owner,
      name,
      hash,
      scopes: scopes.join(' '),
      created_at: createdAt,
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
    })
    .execute();
}

/** Finds a token by its hash. Returns expired tokens, but not revoked ones. */
export async function findToken(db: StateDb, hash: string): Promise<AccessToken | undefined> {
  const row = await db
    .selectFrom('access_tokens')
    .selectAll()
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return row && toToken(row);
}

/** Returns true if a token with this hash was ever stored, also a revoked one. */
export async function hasToken(db: StateDb, hash: string): Promise<boolean> {
  const row = await db.selectFrom('access_tokens').select('id').where('hash', '=', hash).executeTakeFirst();
  return row !== undefined;
}

/** Lists all tokens, the oldest first, revoked ones too. */
export async function listTokens(db: StateDb): Promise<AccessToken[]> {
  const rows = await db.selectFrom('access_tokens').selectAll().orderBy('created_at').orderBy('id').execute();
  return rows.map(toToken);
}

/**
 * Revokes a token. Returns true if the token existed and was not revoked. Other processes are
 * notified.
 */
export async function revokeToken(
  store: Store,
  id: string,
  now: number,
  actor = 'program',
): Promise<boolean> {
  const isRevoked = await store.transaction(async ({ db }) => {
    const revoked = await db
      .updateTable('access_tokens')
      .set({ revoked_at: now })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning('owner')
      .executeTakeFirst();
    if (revoked === undefined) return false;
    await writeAudit(db, { action: 'token_revoked', actor, owner: revoked.owner, subject: id }, now);
    return true;
  });
  tokenCacheOf(store)?.clear();
  // A lost notification is harmless: a cached token expires after a second.
  await store.notifications.publish(TOKEN_CHANNEL, id).catch(() => undefined);
  return isRevoked;
}

function toToken(row: AccessTokenRow): AccessToken {
  return {
    id: row.id,
    owner: row.owner,
    name: row.name,
    scopes: TOKEN_SCOPES.filter((scope) => row.scopes.split(' ').includes(scope)),
    createdAt: row.created_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.revoked_at !== null && { revokedAt: row.revoked_at }),
  };
}
