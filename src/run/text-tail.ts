/** Owns keeping the end of a text of any length in bounded memory. Pure. */

/** The most of a run's text that its result carries, in UTF-16 units; the rest is in the log. */
export const MAX_RESULT_CHARS: number = 8 * 1024 * 1024;

/** Keeps the last `maxChars` of what is pushed. */
export interface TextTail {
  push(chunk: string): void;
  toString(): string;
}

/** Makes an empty tail; pushing costs the same however much was pushed before. */
export function createTextTail(maxChars: number = MAX_RESULT_CHARS): TextTail {
  let chunks: string[] = [];
  let chars = 0;
  return {
    push(chunk) {
      chunks.push(chunk);
      chars += chunk.length;
      // Joined only once twice the bound is held, so that each character is copied a constant number of times.
      if (chars > 2 * maxChars) {
        const kept = chunks.join('').slice(-maxChars);
        chunks = [kept];
        chars = kept.length;
      }
    },
    toString: () => chunks.join('').slice(-maxChars),
  };
}
