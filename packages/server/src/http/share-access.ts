/** Keys of share links, of 256 random bits: create and authenticate. Only their hashes are stored. */
import { randomBytes } from 'node:crypto';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { findShare, type ReceiptShare } from '../state/shares/receipt-shares.ts';
import { hashToken } from '../tokens/access-token.ts';
import type { ServerParts } from './server-parts.ts';

/** Its prefix is neither that of tokens nor that of sessions, so none is accepted as another. */
const SHARE_KEY = /^Bearer +(tcr_[\w-]{43})$/iu;

/** Returns the key of a new share link, and its hash. */
export function newShareKey(): { readonly key: string; readonly hash: string } {
  const key = `tcr_${randomBytes(32).toString('base64url')}`;
  return { key, hash: hashToken(key) };
}

/**
 * Returns the share link of an `Authorization` header.
 *
 * @throws RequestRefusedError `not-found`, with one message for all reasons
 */
export async function authenticateShare(
  { store }: Pick<ServerParts, 'store'>,
  header: string | null,
): Promise<ReceiptShare> {
  const key = SHARE_KEY.exec(header ?? '')?.[1];
  const share = key === undefined ? undefined : await findShare(store.db, hashToken(key), Date.now());
  if (share === undefined) throw unknownShare();
  return share;
}

/** Unknown, expired and revoked links have one message. Another one would say that a key was valid. */
export function unknownShare(): RequestRefusedError {
  return new RequestRefusedError(
    'This link shows no receipt: it is wrong, expired or revoked, or its chat is deleted. Request a new link from its sender.',
    { code: 'not-found' },
  );
}
