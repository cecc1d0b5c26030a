/** Owns the stream parser that reads line by line: what of a line matters is the caller's. */
import type { AgentEvent, AgentStreamParser } from './agent-provider.ts';
import { createLineSplitter } from './stream-lines.ts';

/** Options of `createLineParser`. */
export interface LineParserOptions {
  /** Returns the events of one line; must not throw. */
  readonly readLine: (line: string) => readonly AgentEvent[];
  /** @default 64 Mi UTF-16 units */
  readonly maxLineChars?: number;
}

/** Makes a parser that reads each line once it is whole. A line longer than `maxLineChars` is skipped with a warning. */
export function createLineParser({ readLine, ...options }: LineParserOptions): AgentStreamParser {
  let events: AgentEvent[] = [];
  const splitter = createLineSplitter({
    ...options,
    onLine: (line) => {
      for (const event of readLine(line)) events.push(event);
    },
    onOverlongLine: () =>
      events.push({
        type: 'warning',
        message: 'A line of the agent was too long to be read and was skipped.',
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
