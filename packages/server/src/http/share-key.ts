/** Keys of share links: 256 random bits, whose hash alone is stored. A key opens one receipt, and no other route. */
import { createHash, randomBytes } from 'node:crypto';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { findShare, type ReceiptShare } from '../state/receipt-shares.ts';
import type { ServerParts } from './server-parts.ts';

/** Another prefix than that of tokens and sessions, so that none is accepted as another. */
const KEY = /^Bearer +(tcr_[\w-]{43})$/iu;

/** Returns a new key and its hash. */
export function newShareKey(): { readonly key: string; readonly hash: string } {
  const key = `tcr_${randomBytes(32).toString('base64url')}`;
  return { key, hash: hashOf(key) };
}

/**
 * Returns the share of an `Authorization` header.
 *
 * @throws RequestRefusedError `not-found`, with one message for all reasons
 */
export async function authenticateShare(
  { store }: Pick<ServerParts, 'store'>,
  header: string | null,
): Promise<ReceiptShare> {
  const key = KEY.exec(header ?? '')?.[1];
  // The lookup compares hashes only, so its timing reveals nothing about a key.
  const share = key === undefined ? undefined : await findShare(store.db, hashOf(key), Date.now());
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

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
