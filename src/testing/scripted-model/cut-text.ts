/** Owns cutting a text into the deltas of a stream. Pure. */

/** Cuts `text` into pieces of at most `chunkChars` UTF-16 units, never inside a surrogate pair; an empty text has none. */
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
  // Half a pair travels as a lone escape, which strict JSON parsers refuse.
  const isInsidePair = end < text.length && /[\uD800-\uDBFF]/u.test(text.charAt(end - 1));
  return isInsidePair ? end + 1 : end;
}
