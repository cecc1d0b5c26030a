/** Bearer tokens, of 256 random bits: issue, authenticate, and check scopes. Only their hashes are stored. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { Store } from '@truecast/store/internal/database/store';
import {
  TOKEN_SCOPES,
  type AccessToken,
  type IssuedToken,
  type NewToken,
  type TokenScope,
} from '../contract/access-tokens.ts';
import { writeAudit } from '../state/rows/audit-log.ts';
import { tokenCacheOf } from './token-cache.ts';
import { addToken, findToken, hasToken } from './token-rows.ts';

/** Three parts, the last one empty if the token is not signed. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/u;
const TOKEN = /^tc_[A-Za-z0-9_-]{43}$/u;

/** Issues a token and stores its hash. @throws UsageError for unknown or missing scopes and a lifetime that is not positive */
export function issueToken(store: Store, newToken: NewToken, actor = 'program'): Promise<IssuedToken> {
  return keepToken(store, newToken, { token: `tc_${randomBytes(32).toString('base64url')}`, actor });
}

/**
 * Stores the hash of a token that the caller generated, unless the store has it already. A revoked token
 * stays revoked.
 *
 * @throws UsageError for a text of another form
 */
export async function adoptToken(store: Store, newToken: NewToken, given: GivenToken): Promise<void> {
  if (!TOKEN.test(given.token)) {
    throw new UsageError(
      'Expected a token of the form `tc_` and 43 letters, digits, `-` or `_`: 256 random bits as Base64 for URLs. Generate it with `openssl rand`.',
    );
  }
  const isKnown = (): Promise<boolean> => hasToken(store.db, hashToken(given.token));
  if (await isKnown()) return;
  try {
    await keepToken(store, newToken, given);
  } catch (error) {
    // Another process that starts at the same time can have stored it.
    if (!(await isKnown())) throw error;
  }
}

/** A token and who stores it. */
interface GivenToken {
  readonly token: string;
  /** Name in the audit log. */
  readonly actor: string;
}

async function keepToken(
  store: Store,
  newToken: NewToken,
  { token, actor }: GivenToken,
): Promise<IssuedToken> {
  const { name, owner = randomUUID(), scopes = ['chats'], expiresInMs } = newToken;
  assertScopes(scopes);
  assertLifetime(expiresInMs);
  const createdAt = Date.now();
  const kept = {
    id: randomUUID(),
    name,
    owner,
    scopes: TOKEN_SCOPES.filter((scope) => scopes.includes(scope)),
    createdAt,
    ...(expiresInMs !== undefined && { expiresAt: createdAt + Math.round(expiresInMs) }),
  };
  await store.transaction(async ({ db }) => {
    await addToken(db, { ...kept, hash: hashToken(token) });
    await writeAudit(db, { action: 'token_created', actor, owner, subject: kept.id }, createdAt);
  });
  return { ...kept, token };
}

/** Issuers of tokens: this server, and a provider of JSON Web Tokens. */
export interface Authority {
  readonly store: Store;
  readonly verifyJwt?: VerifyJwt;
}

/** Converts a JSON Web Token to an access token. */
export type VerifyJwt = (jwt: string) => Promise<AccessToken>;

/**
 * Returns the token of an `Authorization` header. With `isFresh`, its row is read in any case.
 *
 * @throws RequestRefusedError `unauthorized`, `identity-unavailable`
 */
export async function authenticate(
  { store, verifyJwt }: Authority,
  header: string | null | undefined,
  { isFresh = false }: { readonly isFresh?: boolean } = {},
): Promise<AccessToken> {
  const token = /^Bearer +(\S+)$/iu.exec(header ?? '')?.[1];
  if (token !== undefined && verifyJwt !== undefined && JWT.test(token)) return verifyJwt(token);
  if (token === undefined) throw unauthorized(MISSING);
  if (!TOKEN.test(token)) throw unauthorized(UNKNOWN);
  // The lookup compares hashes only, so its timing reveals nothing about a token.
  const hash = hashToken(token);
  const read = (): Promise<AccessToken | undefined> => findToken(store.db, hash);
  const cache = isFresh ? undefined : tokenCacheOf(store);
  const found = await (cache === undefined ? read() : cache.find(hash, read));
  if (found === undefined) throw unauthorized(UNKNOWN);
  if (found.expiresAt !== undefined && found.expiresAt <= Date.now()) {
    throw new RequestRefusedError(
      `The token expired at ${new Date(found.expiresAt).toISOString()}. Create a new one with \`truecast token create\`.`,
      { code: 'unauthorized' },
    );
  }
  return found;
}

/**
 * Throws the error of an unknown address if the token lacks the scope. @throws RequestRefusedError
 * `not-found`
 */
export function assertScope({ scopes }: AccessToken, scope: TokenScope): void {
  if (scopes.includes(scope)) return;
  throw new RequestRefusedError(
    `This address needs a token with the scope \`${scope}\`. Create one with \`truecast token create --scope ${scope}\`.`,
    { code: 'not-found' },
  );
}

function assertScopes(scopes: readonly string[]): void {
  const known: readonly string[] = TOKEN_SCOPES;
  const unknown = scopes.find((scope) => !known.includes(scope));
  if (scopes.length > 0 && unknown === undefined) return;
  throw new UsageError(
    `Expected \`scopes\` to be one or more of \`${TOKEN_SCOPES.join('`, `')}\`, got ${describeValue(unknown ?? scopes)}.`,
  );
}

/** The largest time that a `Date` can hold. */
const MAX_TIME_MS = 8.64e15;

function assertLifetime(expiresInMs: number | undefined): void {
  if (expiresInMs === undefined) return;
  if (expiresInMs > 0 && expiresInMs < MAX_TIME_MS - Date.now()) return;
  throw new UsageError(
    `Expected \`expiresInMs\` to be a positive number of milliseconds, got ${describeValue(expiresInMs)}.`,
  );
}

/** Returns the stored form of a token, a key or a code. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

const MISSING = 'Send `Authorization: Bearer <token>`. Create a token with `truecast token create`.';
const UNKNOWN = 'The token is unknown or revoked. Create a new one with `truecast token create`.';

function unauthorized(message: string): RequestRefusedError {
  return new RequestRefusedError(message, { code: 'unauthorized' });
}

/** Returns the name of a token in the audit log. */
export function actorOf({ id }: AccessToken): string {
  return `token:${id}`;
}
