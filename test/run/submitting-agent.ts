/**
 * Agent without a model: calls the server that its run provides, submits scripted answers, and
 * prints each reply. It connects to the socket as the bridge does, without a second Node. A bridged one starts it.
 */
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { joinCommand } from '../../packages/truecast/src/support/shell-quote.ts';

/** A step of the agent: submits literal arguments, calls another tool, prints, keeps running, or exits. */
export type SubmittingStep =
  | { readonly type: 'submit'; readonly argumentsText: string }
  | {
      readonly type: 'call';
      readonly name: string;
      readonly argumentsText: string;
      readonly isReversed?: true;
    }
  | { readonly type: 'print'; readonly text: string }
  | { readonly type: 'hang' }
  | { readonly type: 'exit'; readonly exitCode: number };

/** Also runs inside sandboxes, so it imports only Node modules. */
const PROGRAM = `
const { spawn } = require('node:child_process');
const { createConnection } = require('node:net');
const { createInterface } = require('node:readline');
const [file, args, steps, isBridged] = process.argv.slice(1).map((text, index) => (index === 0 ? text : JSON.parse(text)));
const connect = () => {
  const socket = createConnection(args.at(-1));
  socket.on('close', () => process.exit(0));
  return { stdin: socket, stdout: socket };
};
const server = isBridged || args.length === 0 ? spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] }) : connect();
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
(async () => {
  for (const step of steps) {
    if (step.type === 'exit') process.exit(step.exitCode);
    if (step.type === 'hang') await new Promise(() => setInterval(() => undefined, 1000));
    if (step.type === 'print') { console.log(step.text); continue; }
    const name = step.name ?? 'submit_structured_output';
    server.stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"' + name + '","arguments":' + step.argumentsText + '}}\\n');
    const { isError, content: [{ text }] } = JSON.parse((await lines.next()).value).result;
    const shown = step.isReversed ? [...text].reverse().join('') : text;
    console.log(step.type === 'submit' ? text : name + (isError ? ' failed: ' : ' returned: ') + shown);
  }
  process.exit(0);
})();
`;

/** Submits `{ "output": output }`. */
export function submit(output: unknown): SubmittingStep {
  return { type: 'submit', argumentsText: JSON.stringify({ output }) };
}

/** Calls a tool of the run, and prints its name, `returned` or `failed`, and the text. */
export function call(name: string, args: unknown): SubmittingStep {
  return { type: 'call', name, argumentsText: JSON.stringify(args) };
}

/** Prints the text in reverse, in which no mask of the output finds a secret. */
export function callReversed(name: string, args: unknown): SubmittingStep {
  return { type: 'call', name, argumentsText: JSON.stringify(args), isReversed: true };
}

type SubmittingAgent = AgentProvider & { readonly prompts: readonly string[] };

/** Creates the agent with the steps of each turn in order. Further turns repeat the last steps. */
export function submittingAgent(...turns: readonly (readonly SubmittingStep[])[]): SubmittingAgent {
  return agentWith(turns, false);
}

/** The same, with the program that a run gives to an agent as its server. */
export function bridgedAgent(...turns: readonly (readonly SubmittingStep[])[]): SubmittingAgent {
  return agentWith(turns, true);
}

function agentWith(turns: readonly (readonly SubmittingStep[])[], isBridged: boolean): SubmittingAgent {
  const prompts: string[] = [];
  return {
    ...command({ command: ['node'], name: 'submitting' }),
    prompts,
    canUseMcp: true,
    buildPrintCommand({ prompt, mcpServer }) {
      const steps = turns[prompts.length] ?? turns.at(-1) ?? [];
      prompts.push(prompt);
      const server = [mcpServer?.command ?? 'false', JSON.stringify(mcpServer?.args ?? [])];
      const words = [...server, JSON.stringify(steps), String(isBridged)];
      return { command: joinCommand(['node', '-e', PROGRAM, ...words]) };
    },
  };
}
