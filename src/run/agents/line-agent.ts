/** Owns agents that are described by how one line of their output reads: the simplest way to write one by hand. */
import type { Usage } from '../../errors/usage.ts';
import type { HostSessionLookup } from '../session/host-sessions.ts';
import { createTextTail } from '../text-tail.ts';
import type {
  AgentCommandOptions,
  AgentEvent,
  AgentProvider,
  AgentSessionStorage,
  AgentStreamParser,
  PrintCommand,
  SessionLocation,
} from './agent-provider.ts';
import type { SandboxHandle } from '../sandboxes/sandbox-provider.ts';
import { createLineParser } from './line-parser.ts';

/** What one line says. `result` is the final text, the last one counts; `args` is the call's main argument as text. */
export type ParsedStreamEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'result'; readonly result: string }
  | { readonly type: 'tool_call'; readonly name: string; readonly args: string }
  | { readonly type: 'session_id'; readonly sessionId: string }
  | { readonly type: 'usage'; readonly usage: Usage };

/** How the sessions of an agent that reads by lines travel. */
export interface LineAgentSessionStorage {
  captureToHost(options: SessionLocation & { readonly handle: SandboxHandle }): Promise<unknown>;
  resumeIntoSandbox(options: SessionLocation & { readonly handle: SandboxHandle }): Promise<void>;
  hostSessionFilePath?(cwd: string, sessionId: string): string | undefined;
  findByIdOnHost(sessionId: string): Promise<HostSessionLookup | string | undefined>;
}

/** An agent described by its command and by how one line of its output reads. Its exit code alone judges it. */
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

/** Returns an agent as a run sees it. */
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
        // Such a stream tells no results: a call is over when the agent speaks again.
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
      // Words in a form that the parser does not know are words all the same.
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
