/** Owns how the events that a transcript is read as are written down. */
import type { AgentEvent, AgentProvider } from '../../src/run/agents/agent-provider.ts';

/** Reads a whole transcript. */
export function readTranscript(agent: AgentProvider, text: string): readonly AgentEvent[] {
  const parser = agent.createStreamParser();
  return [...parser.push(text), ...parser.end()];
}

/** One event a line, so that a change of one is one changed line. */
export function printEvents(events: readonly AgentEvent[]): string {
  return `[\n${events.map((event) => `  ${JSON.stringify(event)}`).join(',\n')}\n]\n`;
}
