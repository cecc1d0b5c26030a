/** Line-based agents: a stream parser on top of a parser for one output line. */
import { createTextTail } from '../../support/text-tail.ts';
import type {
  AgentEvent,
  AgentProvider,
  AgentStreamParser,
  ParsedStreamEvent,
  StreamAgentProvider,
} from '../../ports/agent-provider.ts';
import { createLineParser } from './stream-lines.ts';
import { replacesLineView } from './line-view.ts';

/**
 * Completes an agent with a stream parser. Without its own parser, only the exit code decides
 * success.
 */
export function toStreamAgent(agent: AgentProvider): StreamAgentProvider {
  if (isStreamAgent(agent)) return agent;
  const { nativeMode: _mode, ...members } = membersOf(agent);
  return {
    ...members,
    hasEndEvent: false,
    canFork: agent.canFork ?? agent.sessionStorage !== undefined,
    createStreamParser: () => createLineAgentParser(agent),
  };
}

function isStreamAgent(agent: AgentProvider): agent is StreamAgentProvider {
  return agent.createStreamParser !== undefined && !replacesLineView(agent);
}

const METHODS = [
  'buildPrintCommand',
  'buildInteractiveArgs',
  'parseStreamLine',
  'parseSessionUsage',
  'modelAccess',
  'hosts',
  'execute',
] as const;

/** An agent can be an instance of a class, whose methods are not own properties. */
function membersOf(agent: AgentProvider): AgentProvider {
  const methods = METHODS.filter((name) => agent[name] !== undefined);
  return {
    ...agent,
    ...Object.fromEntries(methods.map((name) => [name, agent[name]?.bind(agent)])),
  };
}

function createLineAgentParser(agent: AgentProvider): AgentStreamParser {
  const said = createTextTail();
  let result: string | undefined;
  let hasSpoken = false;
  let hasOpenCall = false;
  const closeCall = (): readonly AgentEvent[] => {
    if (!hasOpenCall) return [];
    hasOpenCall = false;
    return [{ type: 'tool-result', output: '', isError: false }];
  };
  const toEvents = (event: ParsedStreamEvent): readonly AgentEvent[] => {
    switch (event.type) {
      case 'text':
        hasSpoken = true;
        // The stream has no tool results. A call has ended when the agent writes text again.
        return [...closeCall(), { type: 'text', text: event.text }];
      case 'result':
        result = event.result;
        return closeCall();
      case 'tool_call': {
        const closed = closeCall();
        hasOpenCall = true;
        return [...closed, { type: 'tool-call', name: event.name, input: event.args }];
      }
      case 'session_id':
        return [{ type: 'session', sessionId: event.sessionId }];
      case 'usage':
        return [{ type: 'usage', usage: event.usage }];
      default:
        return event satisfies never;
    }
  };
  const lines = createLineParser({
    readLine(line) {
      said.push(`${line}\n`);
      return parseSafely(agent, line).flatMap(toEvents);
    },
  });
  return {
    push: (chunk) => lines.push(chunk),
    end() {
      const rest = lines.end();
      // Without a parsed event, the raw output is the text.
      const text = result ?? (hasSpoken ? undefined : said.toString());
      return [...rest, ...closeCall(), { type: 'end', ...(text !== undefined && { text }) }];
    },
  };
}

function parseSafely(agent: AgentProvider, line: string): readonly ParsedStreamEvent[] {
  try {
    return agent.parseStreamLine(line);
  } catch {
    return [];
  }
}
