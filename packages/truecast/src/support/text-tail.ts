/** Text tail: keeps the end of a text of any length in bounded memory. Pure. */

/** Maximum text of a run in its result, in UTF-16 units. The rest is in the log. */
const MAX_RESULT_CHARS: number = 8 * 1024 * 1024;

/** Keeps the last `maxChars` of the pushed text. */
export interface TextTail {
  push(chunk: string): void;
  toString(): string;
}

/**
 * Forgotten chunks are removed from the array when there are at least this many and they are the
 * larger half. This keeps the cost per chunk constant.
 */
const MIN_CUT = 64;

/**
 * Creates an empty tail. The cost of a push does not depend on earlier pushes. Chunks are kept
 * separately, because joining them would copy each again.
 */
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
