/** Agents that ask: each start runs the next script, in a session or without one. */
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { AgentCommandOptions, AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';

/** An agent whose starts follow scripts. */
export interface AskingAgent {
  readonly agent: AgentProvider;
  /** The starts so far. */
  readonly starts: readonly Pick<AgentCommandOptions, 'prompt' | 'resumeSession' | 'asksByOutcome'>[];
}

/** Creates an agent with one script per start. Its sessions are kept by itself. */
export function askingAgent(
  scripts: readonly string[],
  { hasSessions = true }: { readonly hasSessions?: boolean } = {},
): AskingAgent {
  const starts: AgentCommandOptions[] = [];
  const base = command({
    command: 'true',
    parse: (line) => [
      ...(hasSessions ? [{ type: 'session' as const, sessionId: 'session-1' }] : []),
      { type: 'text', text: `${line}\n` },
    ],
  });
  const agent: AgentProvider = {
    ...base,
    ...(hasSessions && { sessionStorage: SESSIONS }),
    buildPrintCommand(options) {
      starts.push(options);
      const script = scripts[starts.length - 1];
      if (script === undefined) throw new RangeError('The agent was started once too often.');
      return { command: script };
    },
  };
  return { agent, starts };
}

const SESSIONS: NonNullable<AgentProvider['sessionStorage']> = {
  isKeptByAgent: true,
  captureToHost: () => Promise.resolve(undefined),
  resumeIntoSandbox: () => Promise.resolve(),
  readHostSession: () => Promise.resolve(undefined),
  existsOnHost: () => Promise.resolve(true),
  hostSessionFilePath: () => undefined,
  findByIdOnHost: (id) => Promise.resolve({ path: id, searchedRoot: '' }),
};

/** Prints a value in `<result>`. */
export function printed(value: unknown): string {
  return `echo '<result>${JSON.stringify(value)}</result>'`;
}
