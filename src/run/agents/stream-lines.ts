/** Owns cutting a stream into lines, wherever its chunks were cut: linear in its size, and bounded in memory by one line. Pure. */

/** The longest line that is kept, in UTF-16 units: a tool result with a large file passes, a runaway print does not. */
const MAX_LINE_CHARS: number = 64 * 1024 * 1024;

/** What takes the lines. */
export interface LineSplitterOptions {
  /** Takes each line without its newline or carriage return; the last one also where no newline ends it. */
  onLine(line: string): void;
  /** Is told once for each line that was longer than `maxLineChars` and therefore dropped. */
  onOverlongLine(): void;
  /** @default 64 Mi UTF-16 units */
  readonly maxLineChars?: number;
}

/** Takes a stream piece by piece. */
export interface LineSplitter {
  push(chunk: string): void;
  /** Gives out the last line, where no newline ended it. */
  end(): void;
}

/** Makes a splitter for one stream. */
export function createLineSplitter(options: LineSplitterOptions): LineSplitter {
  const maxLineChars = options.maxLineChars ?? MAX_LINE_CHARS;
  let held = '';
  let isOverlong = false;
  const hold = (piece: string): void => {
    if (isOverlong || held.length + piece.length > maxLineChars) {
      isOverlong = true;
      held = '';
    } else held += piece;
  };
  const flush = (): void => {
    const line = held;
    held = '';
    if (isOverlong) options.onOverlongLine();
    else options.onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    isOverlong = false;
  };
  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', from)) {
        hold(chunk.slice(from, at));
        flush();
        from = at + 1;
      }
      if (from < chunk.length) hold(chunk.slice(from));
    },
    end() {
      if (held !== '' || isOverlong) flush();
    },
  };
}
