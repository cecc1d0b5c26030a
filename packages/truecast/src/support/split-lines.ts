/** Line splitter for streamed text, in linear time and bounded memory. Pure. */

/** The longest line that is delivered whole, in UTF-16 units. */
const MAX_LINE_CHARS: number = 64 * 1024 * 1024;

/** Accepts text as it arrives and delivers its lines. */
export interface LineSplitter {
  push(chunk: string): void;
  /** Delivers the text after the last newline. */
  end(): void;
  /** Number of lines that were too long and were delivered in pieces. */
  readonly cutCount: number;
}

/**
 * Creates a splitter that calls `onLine` with each line, without its newline. A line longer than
 * `maxChars` is delivered in pieces.
 */
export function createLineSplitter(
  onLine: (line: string) => void,
  maxChars: number = MAX_LINE_CHARS,
): LineSplitter {
  // Pieces are joined once per line. A string built by appending would be searched again at every
  // chunk.
  let pieces: string[] = [];
  let chars = 0;
  let cutCount = 0;
  const flush = (): void => {
    const line = pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('');
    pieces = [];
    chars = 0;
    onLine(line);
  };
  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', from)) {
        pieces.push(chunk.slice(from, at));
        from = at + 1;
        flush();
      }
      if (from === chunk.length) return;
      pieces.push(from === 0 ? chunk : chunk.slice(from));
      chars += chunk.length - from;
      if (chars < maxChars) return;
      cutCount += 1;
      flush();
    },
    end() {
      if (chars > 0) flush();
    },
    get cutCount() {
      return cutCount;
    },
  };
}
