/** Agent stream events for a callback: text, tool calls and raw lines. */
import { mainArgument } from '../../agents/stream/line-view.ts';
import { createLineReader } from '../../agents/stream/stream-lines.ts';
import type { RunEvent } from './run-events.ts';

/** One event of an agent's stream, for a callback. Iterate the run to get all of its events. */
export type AgentStreamEvent = (
  | { readonly type: 'text'; readonly message: string }
  /** `formattedArgs` is the call's main argument if it has one, else its whole input as JSON. */
  | {
      readonly type: 'toolCall';
      readonly name: string;
      readonly formattedArgs: string;
      readonly input: unknown;
    }
  /** One unchanged line of the agent's stdout. */
  | { readonly type: 'raw'; readonly line: string }
) & { readonly iteration: number; readonly timestamp: Date };

/** Observer of a run that calls a callback. */
export interface AgentStreamTeller {
  event(event: RunEvent): void;
  raw(chunk: string, iteration: number): void;
}

/**
 * Notifies a callback. Its exceptions are ignored, because a faulty listener must not stop the run.
 */
export function tellAgentStream(callback: (event: AgentStreamEvent) => void): AgentStreamTeller {
  let iteration = 1;
  const tell = (event: AgentStreamEvent): void => {
    try {
      callback(event);
    } catch {
      // Ignored, see above.
    }
  };
  const lines = createLineReader({
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
        const formattedArgs = mainArgument(input);
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
