/** Owns bearer tokens: made of 256 random bits, known by their hash alone. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { RequestRefusedError } from '../../errors/request-refused-error.ts';
import type { Store } from '../../store/store.ts';
import type { AccessToken, IssuedToken, NewToken } from '../contract/access-tokens.ts';
import { addToken, findToken } from '../state/tokens.ts';

const TOKEN = /^tc_[A-Za-z0-9_-]{43}$/u;

/** Makes a token and keeps its hash. */
export async function issueToken(store: Store, { name, owner }: NewToken): Promise<IssuedToken> {
  const token = `tc_${randomBytes(32).toString('base64url')}`;
  const kept = { id: randomUUID(), name, owner: owner ?? randomUUID(), createdAt: Date.now() };
  await addToken(store.db, { ...kept, hash: hashToken(token) });
  return { ...kept, token };
}

/** Finds whose token a request brings. @throws RequestRefusedError `unauthorized` */
export async function authenticate(store: Store, header: string | null | undefined): Promise<AccessToken> {
  const token = /^Bearer +(\S+)$/iu.exec(header ?? '')?.[1];
  if (token === undefined || !TOKEN.test(token)) throw unauthorized();
  // Tokens are compared by their hashes alone: what the time of a lookup tells of a hash brings nobody nearer to a token.
  const found = await findToken(store.db, hashToken(token));
  if (found === undefined) throw unauthorized();
  return found;
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function unauthorized(): RequestRefusedError {
  return new RequestRefusedError('Send `Authorization: Bearer <token>`; `truecast token create` makes one.', {
    code: 'unauthorized',
  });
}
