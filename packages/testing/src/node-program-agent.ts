/** Agent provider for one of Truecast's own Node programs. */
import { fileURLToPath } from 'node:url';
import type { StreamAgentProvider } from 'truecast/internal/ports/agent-provider';
import { command } from 'truecast/internal/agents/command';
import { joinCommand } from 'truecast/internal/support/shell-quote';

export interface NodeProgramAgentOptions {
  readonly name: string;
  readonly node: string;
  readonly programUrl: URL;
  /** Called once per process with its prompt. */
  readonly args: (prompt: string) => readonly string[];
}

/** Creates the provider. It requests read access to the program and its Node from the sandbox. */
export function nodeProgramAgent({
  name,
  node,
  programUrl,
  args,
}: NodeProgramAgentOptions): StreamAgentProvider {
  const program = fileURLToPath(programUrl);
  const line = (prompt: string): string => joinCommand([node, program, ...args(prompt)]);
  return {
    ...command({ command: joinCommand([node, program]), name }),
    readonlyPaths: [node, program],
    buildPrintCommand: ({ prompt }) => ({ command: line(prompt), stdin: prompt }),
  };
}
