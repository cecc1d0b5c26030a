/**
 * Sign-in codes: each opens one session of a browser for the token that it was created with. The database has the
 * hash of a code, and the token combined with the code, so that any process can exchange it and no copy of the
 * database contains a token.
 */
import { randomBytes } from 'node:crypto';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import type { Store } from '@truecast/store/internal/database/store';
import { addSignInCode, findSignInCode, takeSignInCode } from '../../state/shares/sign-in-codes.ts';
import { hashToken } from '../../tokens/access-token.ts';
import { HALF_BYTES, halfBytes, halfText, joinHalves, tokenBytes } from './token-halves.ts';

const MINUTES = 10;
const LIFE_MS = MINUTES * 60_000;
/** Its prefix is neither that of tokens, sessions nor share links, so only one route accepts it. */
const CODE = /^Bearer +(tcl_([\w-]{43}))$/iu;

/** A new code. Its link is `/#code=` and the code. */
export interface SignInCode {
  readonly code: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Creates a code for a token of this server.
 *
 * @throws RequestRefusedError for the key of a session, with which a script could leave the browser, and for a
 * token of an identity provider, whose length is not bounded
 */
export async function createSignInCode(store: Store, authorization: string | null): Promise<SignInCode> {
  const token = tokenBytes(authorization);
  if (token === undefined) {
    throw new RequestRefusedError(
      'Only tokens of this server, `tc_…`, can create a link. Send the token itself, not the key of a session.',
      { code: 'invalid-body' },
    );
  }
  const bytes = randomBytes(HALF_BYTES);
  const code = `tcl_${halfText(bytes)}`;
  const now = Date.now();
  const expiresAt = now + LIFE_MS;
  await addSignInCode(
    store.db,
    { hash: hashToken(code), half: halfText(joinHalves(token, codeBytes(code))), expiresAt },
    now,
  );
  return { code, expiresAt };
}

/** A code of a request. */
export interface GivenCode {
  /** The `Authorization` header of its token. */
  readonly authorization: string;
  readonly hash: string;
}

/** Returns the code of an `Authorization` header, which it does not use. Undefined for a header without one. */
export async function readSignInCode(store: Store, header: string | null): Promise<GivenCode | undefined> {
  const code = CODE.exec(header ?? '')?.[1];
  if (code === undefined) return undefined;
  const hash = hashToken(code);
  const half = halfBytes(await findSignInCode(store.db, hash, Date.now()));
  if (half === undefined) throw spentCode();
  return { authorization: `Bearer tc_${halfText(joinHalves(half, codeBytes(code)))}`, hash };
}

/** Uses the code. @throws RequestRefusedError if another request was faster */
export async function useSignInCode(store: Store, { hash }: GivenCode): Promise<void> {
  if (!(await takeSignInCode(store.db, hash))) throw spentCode();
}

function codeBytes(code: string): Buffer {
  return halfBytes(code.slice('tcl_'.length)) ?? Buffer.alloc(HALF_BYTES);
}

/** Unknown, used and expired codes have one message. */
function spentCode(): RequestRefusedError {
  return new RequestRefusedError(
    `This link was used, or it has expired: each one signs in one browser, within ${MINUTES} minutes. Print another with \`truecast link\`.`,
    { code: 'unauthorized' },
  );
}
