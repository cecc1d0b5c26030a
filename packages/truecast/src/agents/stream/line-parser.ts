/** Line-based stream parser with a custom line reader. */
import type { AgentEvent, AgentStreamParser } from '../../ports/agent-provider.ts';
import { createLineReader } from './stream-lines.ts';

export interface LineParserOptions {
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
