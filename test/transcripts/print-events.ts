/** Prints the events parsed from a transcript. */
import type { AgentEvent, StreamAgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';

/** Parses a whole transcript. */
export function readTranscript(agent: StreamAgentProvider, text: string): readonly AgentEvent[] {
  const parser = agent.createStreamParser();
  return [...parser.push(text), ...parser.end()];
}

/** One event per line, so that a changed event is one changed line. */
export function printEvents(events: readonly AgentEvent[]): string {
  return `[\n${events.map((event) => `  ${JSON.stringify(event)}`).join(',\n')}\n]\n`;
}
