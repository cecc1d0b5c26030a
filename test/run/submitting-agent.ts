/** Owns an agent without a model: it starts the server that its run gives it, hands in what it was told to, and prints each reply. */
import { command } from '../../src/run/agents/command.ts';
import type { AgentProvider } from '../../src/run/agents/agent-provider.ts';
import { joinCommand } from '../../src/run/agents/shell-quote.ts';

/** One thing that the agent does: hands in arguments, written as they are, or lives on, or ends. */
export type SubmittingStep =
  | { readonly type: 'submit'; readonly argumentsText: string }
  | { readonly type: 'hang' }
  | { readonly type: 'exit'; readonly exitCode: number };

/** Runs inside sandboxes too, and so imports nothing but Node. */
const PROGRAM = `
const { spawn } = require('node:child_process');
const { createInterface } = require('node:readline');
const [file, args, steps] = process.argv.slice(1).map((text, index) => (index === 0 ? text : JSON.parse(text)));
const server = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
(async () => {
  for (const step of steps) {
    if (step.type === 'exit') process.exit(step.exitCode);
    if (step.type === 'hang') await new Promise(() => setInterval(() => undefined, 1000));
    server.stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"submit_structured_output","arguments":' + step.argumentsText + '}}\\n');
    const { value } = await lines.next();
    console.log(JSON.parse(value).result.content[0].text);
  }
  process.exit(0);
})();
`;

/** Hands in `{ "output": output }`. */
export function submit(output: unknown): SubmittingStep {
  return { type: 'submit', argumentsText: JSON.stringify({ output }) };
}

/** Makes the agent; the steps of each of its turns in order, the last ones again for each further turn. */
export function submittingAgent(...turns: readonly (readonly SubmittingStep[])[]): AgentProvider & {
  readonly prompts: readonly string[];
} {
  const prompts: string[] = [];
  return {
    ...command({ command: ['node'], name: 'submitting' }),
    prompts,
    canUseMcp: true,
    buildPrintCommand({ prompt, mcpServer }) {
      const steps = turns[prompts.length] ?? turns.at(-1) ?? [];
      prompts.push(prompt);
      const server = [mcpServer?.command ?? 'false', JSON.stringify(mcpServer?.args ?? [])];
      return { command: joinCommand(['node', '-e', PROGRAM, ...server, JSON.stringify(steps)]) };
    },
  };
}
