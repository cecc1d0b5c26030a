/**
 * Line view of an agent: `parseStreamLine` on top of the stream parser, for programs that parse
 * lines themselves.
 */
import type {
  AgentEvent,
  AgentProvider,
  ParsedStreamEvent,
  StreamAgentProvider,
} from '../../ports/agent-provider.ts';

type ParseLine = AgentProvider['parseStreamLine'];
type CreateParser = StreamAgentProvider['createStreamParser'];

const views = new WeakMap<CreateParser, ParseLine>();

/** Returns the parser members of an agent: its stream parser, and a line parser that uses it. */
export function withLineView(
  createStreamParser: CreateParser,
): Required<Pick<StreamAgentProvider, 'createStreamParser' | 'parseStreamLine'>> {
  // A fresh parser for each line, so that any line can be read at any time.
  const parseStreamLine: ParseLine = (line) => createStreamParser().push(`${line}\n`).flatMap(toParsedEvents);
  views.set(createStreamParser, parseStreamLine);
  return { createStreamParser, parseStreamLine };
}

/**
 * Returns true if the caller replaced the line parser of a built-in agent, as in `{
 * ...claudeCode(), parseStreamLine }`, but kept its stream parser.
 */
export function replacesLineView({ createStreamParser, parseStreamLine }: AgentProvider): boolean {
  if (createStreamParser === undefined) return false;
  const view = views.get(createStreamParser);
  return view !== undefined && view !== parseStreamLine;
}

function toParsedEvents(event: AgentEvent): ParsedStreamEvent[] {
  switch (event.type) {
    case 'text':
      return [{ type: 'text', text: event.text }];
    case 'session':
      return [{ type: 'session_id', sessionId: event.sessionId }];
    case 'tool-call':
      return [{ type: 'tool_call', name: event.name, args: mainArgument(event.input) }];
    case 'usage':
      return [{ type: 'usage', usage: event.usage }];
    case 'end':
      return event.text === undefined ? [] : [{ type: 'result', result: event.text }];
    case 'error':
      return [{ type: 'result', result: event.message }];
    case 'thinking':
    case 'tool-result':
    case 'warning':
      return [];
    default:
      return event satisfies never;
  }
}

/** Names of the most informative argument of a call, most informative first. */
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

/** Returns the most informative argument of a tool call, else its whole input as JSON. */
export function mainArgument(input: unknown): string {
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
