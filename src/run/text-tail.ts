/** Owns keeping the end of a text of any length in bounded memory. Pure. */

/** The most of a run's text that its result carries, in UTF-16 units; the rest is in the log. */
const MAX_RESULT_CHARS: number = 8 * 1024 * 1024;

/** Keeps the last `maxChars` of what is pushed. */
export interface TextTail {
  push(chunk: string): void;
  toString(): string;
}

/** Forgotten chunks are cut off the array once they are this many and the larger half, so that forgetting costs constant work a chunk. */
const MIN_CUT = 64;

/** Makes an empty tail; pushing costs the same however much was pushed before. Chunks are kept as they came: joining them would copy each again. */
export function createTextTail(maxChars: number = MAX_RESULT_CHARS): TextTail {
  let chunks: string[] = [];
  let first = 0;
  let chars = 0;
  const forget = (): void => {
    for (
      let oldest = chunks[first] ?? '';
      first < chunks.length && chars - oldest.length >= maxChars;
      oldest = chunks[first] ?? ''
    ) {
      chars -= oldest.length;
      chunks[first] = '';
      first += 1;
    }
    if (first < MIN_CUT || first * 2 < chunks.length) return;
    chunks = chunks.slice(first);
    first = 0;
  };
  return {
    push(chunk) {
      chunks.push(chunk);
      chars += chunk.length;
      forget();
    },
    toString: () => chunks.join('').slice(-maxChars),
  };
}
