/** Halves of a token: two texts of 43 characters, of which each alone is as good as random. Pure. */

/** 43 characters of Base64. The last one of a token that the operator chose can have any bits. */
export const HALF_BYTES = 33;
const TOKEN = /^Bearer +tc_([\w-]{43})$/iu;

/** Returns the bytes of the token in an `Authorization` header. Undefined for other credentials. */
export function tokenBytes(authorization: string | null): Buffer | undefined {
  return halfBytes(TOKEN.exec(authorization ?? '')?.[1]);
}

/** 43 characters have 258 bits. One more makes them whole bytes, so that no bit is lost. */
export function halfBytes(text: string | undefined): Buffer | undefined {
  const bytes = text === undefined ? undefined : Buffer.from(`${text}A`, 'base64url');
  return bytes?.length === HALF_BYTES ? bytes : undefined;
}

export function halfText(bytes: Buffer): string {
  return bytes.toString('base64url').slice(0, -1);
}

/** Joins two halves, and takes one off: it is its own inverse. */
export function joinHalves(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)));
}
