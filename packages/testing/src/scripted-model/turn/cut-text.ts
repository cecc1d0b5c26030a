/** Splits a text into stream deltas. Pure. */

/**
 * Splits `text` into pieces of at most `chunkChars` UTF-16 units, never inside a surrogate pair. An
 * empty text has no pieces.
 */
export function cutText(text: string, chunkChars: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = pairSafeEnd(text, start + chunkChars);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function pairSafeEnd(text: string, end: number): number {
  // Half a pair is serialized as a lone escape, which strict JSON parsers reject.
  const isInsidePair = end < text.length && /[\uD800-\uDBFF]/u.test(text.charAt(end - 1));
  return isInsidePair ? end + 1 : end;
}
