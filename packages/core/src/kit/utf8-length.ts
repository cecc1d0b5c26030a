/** UTF-8 length check that counts bytes only if the number of characters does not decide. Pure. */

const MAX_BYTES_PER_UNIT = 3;

/** Returns true if `text` has more than `maxBytes` bytes in UTF-8. */
export function isLongerThan(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  if (text.length * MAX_BYTES_PER_UNIT <= maxBytes) return false;
  return new TextEncoder().encode(text).length > maxBytes;
}
