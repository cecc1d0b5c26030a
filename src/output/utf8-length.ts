/** Owns how many bytes a text has in UTF-8, counted only where its length leaves a doubt. Pure. */

/** The most bytes that one UTF-16 unit takes. */
const MAX_BYTES_PER_UNIT = 3;

/** Tells whether `text` has more than `maxBytes` bytes in UTF-8. */
export function isLongerThan(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  if (text.length * MAX_BYTES_PER_UNIT <= maxBytes) return false;
  return new TextEncoder().encode(text).length > maxBytes;
}
