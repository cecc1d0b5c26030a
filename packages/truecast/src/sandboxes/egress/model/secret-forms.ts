/** Encodings in which a secret can appear in an answer: plain, escaped and encoded. Pure. */
import type { ModelAccess } from '../../../ports/model-access.ts';
import { toNeedles } from '@truecast/host/internal/masking/secret-values';

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

/** Returns each form of a secret as bytes, as in the mask of a run. */
export function secretForms(secret: string): readonly Buffer[] {
  return [...toNeedles([secret])].map((text) => Buffer.from(text));
}
