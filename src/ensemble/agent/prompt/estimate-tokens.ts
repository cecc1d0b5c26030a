/** Owns how large a text is for a model, without asking any. Pure. */

/**
 * UTF-8 bytes in a token. English has four to five, other alphabets two to three, Chinese and Japanese about three: the estimate is too high
 * for most texts, so that a prompt that is held to it fits.
 */
export const BYTES_PER_TOKEN = 3;

/** Returns about how many tokens a text takes, rather more than fewer. */
export function estimateTokens(text: string): number {
  return Math.ceil(byteLength(text) / BYTES_PER_TOKEN);
}

/** Returns the length of a text in UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
