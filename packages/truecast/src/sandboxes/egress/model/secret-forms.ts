/** Encodings in which a secret can appear in an answer: plain, escaped and encoded. Pure. */
import type { ModelAccess } from '../../../ports/model-access.ts';

/** Pattern of header names whose value is a key. */
const SECRET_HEADER = /auth|key|token|secret|cookie/i;
/** A shorter value would match ordinary text. */
const MIN_SECRET_CHARS = 8;

/** Returns the secrets that a model access adds to requests, without their scheme. */
export function secretsOf({ headers }: Pick<ModelAccess, 'headers'>): readonly string[] {
  return Object.entries(headers)
    .filter(([name]) => SECRET_HEADER.test(name))
    .map(([, value]) => value.replace(/^(bearer|basic|token)\s+/i, ''))
    .filter((secret) => secret.length >= MIN_SECRET_CHARS);
}

/**
 * Returns each form of a secret as bytes: plain, in JSON, in a URL, in hexadecimal, and at any
 * offset in base64.
 */
export function secretForms(secret: string): readonly Buffer[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const texts = new Set([
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    hex,
    hex.toUpperCase(),
    ...base64Forms(bytes),
  ]);
  return [...texts].filter((text) => text.length >= MIN_SECRET_CHARS).map((text) => Buffer.from(text));
}

/**
 * The base64 form of a secret within a text depends on its offset modulo 3. Only characters that
 * encode no neighboring bytes are kept.
 */
function base64Forms(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor((padded.length * 8) / 6);
    return (['base64', 'base64url'] as const).map((encoding) => padded.toString(encoding).slice(first, last));
  });
}
