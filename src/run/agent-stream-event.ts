/** Owns what a callback is told of an agent's stream: its words, its tool calls, its raw lines. */
import { createLineSplitter } from './agents/stream-lines.ts';
import type { RunEvent } from './run-events.ts';

/** One thing that an agent said or did, for a callback; iterate the run for everything that happens in it. */
export type AgentStreamEvent = (
  | { readonly type: 'text'; readonly message: string }
  /** `formattedArgs` is the call's main argument where it has one, else all of its input as JSON. */
  | {
      readonly type: 'toolCall';
      readonly name: string;
      readonly formattedArgs: string;
      readonly input: unknown;
    }
  /** One line of the agent's stdout as it came. */
  | { readonly type: 'raw'; readonly line: string }
) & { readonly iteration: number; readonly timestamp: Date };

/** Takes a run's events, and the agent's stdout. */
export interface AgentStreamTeller {
  event(event: RunEvent): void;
  raw(chunk: string, iteration: number): void;
}

/** Names of the argument that says most about a call, by how telling they are. */
const MAIN_ARGUMENTS = [
  'command',
  'cmd',
  'file_path',
  'path',
  'query',
  'url',
  'pattern',
  'description',
] as const;

/** Tells a callback; what it throws is ignored, since a listener's fault must not end the work that it listens to. */
export function tellAgentStream(callback: (event: AgentStreamEvent) => void): AgentStreamTeller {
  let iteration = 1;
  const tell = (event: AgentStreamEvent): void => {
    try {
      callback(event);
    } catch {
      // See above.
    }
  };
  const lines = createLineSplitter({
    onLine: (line) => tell({ type: 'raw', line, iteration, timestamp: new Date() }),
    onOverlongLine: () => undefined,
  });
  return {
    event(event) {
      const { timestamp } = event;
      if (event.type === 'text') {
        tell({ type: 'text', message: event.text, iteration: event.iteration, timestamp });
      }
      if (event.type === 'tool-call') {
        const { name, input } = event;
        const formattedArgs = formatArguments(input);
        tell({ type: 'toolCall', name, formattedArgs, input, iteration: event.iteration, timestamp });
      }
      if (event.type === 'attempt-end' || event.type === 'run-end') lines.end();
    },
    raw(chunk, of) {
      iteration = of;
      lines.push(chunk);
    },
  };
}

/** Returns the argument of a tool call that says most about it. */
function formatArguments(input: unknown): string {
  if (typeof input === 'string') return input;
  if (typeof input === 'object' && input !== null) {
    const values: Readonly<Record<string, unknown>> = { ...input };
    for (const name of MAIN_ARGUMENTS) {
      const value = values[name];
      if (typeof value === 'string') return value;
    }
  }
  return JSON.stringify(input) ?? '';
}
