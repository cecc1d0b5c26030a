/** Line-based agents, defined by a parser for one output line: the simplest custom agents. */
import type { Usage } from '@truecast/core/internal/errors/base/usage';
import type { HostSessionLookup } from '../sessions/host-sessions.ts';
import { createTextTail } from '../../support/text-tail.ts';
import type {
  AgentCommandOptions,
  AgentEvent,
  AgentProvider,
  AgentSessionStorage,
  AgentStreamParser,
  PrintCommand,
  SessionLocation,
} from '../../ports/agent-provider.ts';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';
import { createLineParser } from './line-parser.ts';

/**
 * An event parsed from one line. `result` is the final text (the last one counts). `args` is the
 * call's main argument as text.
 */
export type ParsedStreamEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'result'; readonly result: string }
  | { readonly type: 'tool_call'; readonly name: string; readonly args: string }
  | { readonly type: 'session_id'; readonly sessionId: string }
  | { readonly type: 'usage'; readonly usage: Usage };

/** Session storage of a line-based agent. */
export interface LineAgentSessionStorage {
  captureToHost(options: SessionLocation & { readonly handle: SandboxHandle }): Promise<unknown>;
  resumeIntoSandbox(options: SessionLocation & { readonly handle: SandboxHandle }): Promise<void>;
  hostSessionFilePath?(cwd: string, sessionId: string): string | undefined;
  findByIdOnHost(sessionId: string): Promise<HostSessionLookup | string | undefined>;
}

/** An agent defined by its command and its line parser. Only its exit code decides success. */
export interface LineAgentProvider {
  readonly name: string;
  readonly model?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly captureSessions: boolean;
  readonly sessionStorage?: LineAgentSessionStorage;
  buildPrintCommand(options: AgentCommandOptions): PrintCommand;
  buildInteractiveArgs?(options: AgentCommandOptions): readonly string[];
  parseStreamLine(line: string): readonly ParsedStreamEvent[];
}

/** Converts an agent to an `AgentProvider`. */
export function toAgentProvider(agent: AgentProvider | LineAgentProvider): AgentProvider {
  if ('createStreamParser' in agent) return agent;
  const { sessionStorage, buildInteractiveArgs } = agent;
  return {
    name: agent.name,
    ...(agent.model !== undefined && { model: agent.model }),
    env: agent.env,
    captureSessions: agent.captureSessions,
    hasEndEvent: false,
    ...(sessionStorage !== undefined && { sessionStorage: toSessionStorage(sessionStorage), canFork: true }),
    buildPrintCommand: (options) => agent.buildPrintCommand(options),
    ...(buildInteractiveArgs !== undefined && {
      buildInteractiveArgs: (options) => buildInteractiveArgs.call(agent, options),
    }),
    createStreamParser: () => createLineAgentParser(agent),
  };
}

function toSessionStorage(storage: LineAgentSessionStorage): AgentSessionStorage {
  const find = async (sessionId: string): Promise<string | undefined> => {
    const found = await storage.findByIdOnHost(sessionId);
    return typeof found === 'object' ? found.path : found;
  };
  return {
    async captureToHost(options) {
      const { hostCwd, sessionId } = options;
      await storage.captureToHost(options);
      return storage.hostSessionFilePath?.(hostCwd, sessionId) ?? (await find(sessionId)) ?? sessionId;
    },
    resumeIntoSandbox: (options) => storage.resumeIntoSandbox(options),
    findByIdOnHost: find,
  };
}

function createLineAgentParser(agent: LineAgentProvider): AgentStreamParser {
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

function parseSafely(agent: LineAgentProvider, line: string): readonly ParsedStreamEvent[] {
  try {
    return agent.parseStreamLine(line);
  } catch {
    return [];
  }
}
