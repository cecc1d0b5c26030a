/** Token estimate without a tokenizer. Pure. */

/**
 * UTF-8 bytes per token. English has four to five, other alphabets two to three, Chinese and
 * Japanese about three. The estimate is high for most text, so a limited prompt fits.
 */
export const BYTES_PER_TOKEN = 3;

/** Returns a conservative estimate of a text's tokens. */
export function estimateTokens(text: string): number {
  return Math.ceil(byteLength(text) / BYTES_PER_TOKEN);
}

/** Returns the UTF-8 length of a text in bytes. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
