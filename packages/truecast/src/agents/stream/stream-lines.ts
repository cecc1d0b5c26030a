/**
 * Line splitter, and a parser on top of it, for streams with arbitrary chunk boundaries. Linear time, memory limited to one
 * line. Pure.
 */

import type { AgentEvent, AgentStreamParser } from '../../ports/agent-provider.ts';

/**
 * Maximum line length in UTF-16 units. It allows a tool result with a large file, but not runaway
 * output.
 */
const MAX_LINE_CHARS: number = 64 * 1024 * 1024;

interface LineSplitterOptions {
  /**
   * Called with each line, without its newline or carriage return. Also called for a last line
   * without a newline.
   */
  onLine(line: string): void;
  /** Called once for each line that was dropped because it exceeds `maxLineChars`. */
  onOverlongLine(): void;
  /** @default 64 Mi UTF-16 units */
  readonly maxLineChars?: number;
}

interface LineReader {
  push(chunk: string): void;
  /** Emits a last line that has no newline. */
  end(): void;
}

export function createLineReader(options: LineSplitterOptions): LineReader {
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

interface LineParserOptions {
  /** Returns the events of one line. Must not throw. */
  readonly readLine: (line: string) => readonly AgentEvent[];
  /** @default 64 Mi UTF-16 units */
  readonly maxLineChars?: number;
}

/**
 * Creates a parser that reads each line once it is complete. A line longer than `maxLineChars` is
 * skipped with a warning.
 */
export function createLineParser({ readLine, ...options }: LineParserOptions): AgentStreamParser {
  let events: AgentEvent[] = [];
  const splitter = createLineReader({
    ...options,
    onLine: (line) => {
      for (const event of readLine(line)) events.push(event);
    },
    onOverlongLine: () =>
      events.push({
        type: 'warning',
        message: "A line of the agent's output was too long and was skipped.",
      }),
  });
  const take = (): readonly AgentEvent[] => {
    const taken = events;
    events = [];
    return taken;
  };
  return {
    push(chunk) {
      splitter.push(chunk);
      return take();
    },
    end() {
      splitter.end();
      return take();
    },
  };
}
