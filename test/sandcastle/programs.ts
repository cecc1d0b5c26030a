/** Runs one program with each library: an agent that prints a text, without a sandbox. */
import { join } from 'node:path';
import * as theirs from '@ai-hero/sandcastle';
import * as ours from '../../packages/truecast/src/exports/sandcastle.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';

/** Options of a run that both libraries take. */
export type SharedOptions = Partial<Omit<theirs.RunOptions, 'agent' | 'sandbox' | 'output'>> & {
  /** Command of the agent, which gets its prompt on stdin. @default `cat` */
  readonly script?: string;
  readonly forkSession?: boolean;
};

/** Definition of the answer, as options of a helper. */
export interface SharedOutput {
  readonly kind: 'object' | 'string';
  readonly tag: string;
  readonly schema: Parameters<typeof theirs.Output.object>[0]['schema'];
  readonly maxRetries?: number;
}

/** One of the two libraries. */
export interface Library {
  run(options: SharedOptions, output?: SharedOutput): Promise<theirs.RunResult & { output?: unknown }>;
}

/** An agent in the form of both libraries. */
function agentOf(script: string): theirs.AgentProvider {
  return {
    name: 'shell',
    env: {},
    captureSessions: false,
    buildPrintCommand: ({ prompt }) => ({ command: script, stdin: prompt }),
    parseStreamLine: (line) => [{ type: 'text', text: `${line}\n` }],
  };
}

function logTo(cwd: string): { readonly type: 'file'; readonly path: string } {
  return { type: 'file', path: join(cwd, '.git/run.log') };
}

/**
 * A sandbox that starts as few processes as possible. It skips the library's changes of the global
 * git configuration, which without a container is the developer's own.
 */
function theirSandbox(): theirs.SandboxProvider {
  return theirs.createBindMountSandboxProvider({
    name: 'in-process',
    async create({ worktreePath, hostRepoPath }) {
      const host = await noSandbox().create({ worktreePath, hostRepoPath, mounts: [], env: {} });
      return {
        worktreePath,
        async exec(command, options = {}) {
          const printed = printedBy(command, options.stdin ?? '');
          if (printed === undefined) return host.exec(command, options);
          for (const line of printed.split('\n')) options.onLine?.(line);
          return { stdout: printed, stderr: '', exitCode: 0 };
        },
        copyFileIn: () => Promise.resolve(),
        copyFileOut: () => Promise.resolve(),
        close: () => host.close(),
      };
    },
  });
}

/** Options of `Output.object()`. */
export function objectOptions(output: SharedOutput): Omit<SharedOutput, 'kind'> {
  return { ...stringOptions(output), schema: output.schema };
}

/** Options of `Output.string()`. */
export function stringOptions({ tag, maxRetries }: SharedOutput): Omit<SharedOutput, 'kind' | 'schema'> {
  return { tag, ...(maxRetries !== undefined && { maxRetries }) };
}

const PRINT = 'print ';

/** An agent that prints this text. */
export function printing(text: string): string {
  return `${PRINT}${text}`;
}

function printedBy(command: string, stdin: string): string | undefined {
  if (command === 'cat') return stdin;
  if (command.startsWith('git config --global')) return '';
  return command.startsWith(PRINT) ? command.slice(PRINT.length) : undefined;
}

/** `@ai-hero/sandcastle`. */
export const sandcastle: Library = {
  run({ script = 'cat', cwd = '.', ...options }, output) {
    const shared = { agent: agentOf(script), sandbox: theirSandbox(), cwd, logging: logTo(cwd), ...options };
    if (output === undefined) return theirs.run(shared);
    return output.kind === 'object'
      ? theirs.run({ ...shared, output: theirs.Output.object(objectOptions(output)) })
      : theirs.run({ ...shared, output: theirs.Output.string(stringOptions(output)) });
  },
};

/** This library. */
export const truecast: Library = {
  async run({ script = 'cat', cwd = '.', ...options }, output) {
    const shell = script.startsWith(PRINT) ? `cat <<'END'\n${script.slice(PRINT.length)}\nEND` : script;
    const shared = { agent: agentOf(shell), sandbox: noSandbox(), cwd, logging: logTo(cwd), ...options };
    if (output === undefined) return ours.run(shared);
    return output.kind === 'object'
      ? ours.run({ ...shared, output: ours.Output.object(objectOptions(output)) })
      : ours.run({ ...shared, output: ours.Output.string(stringOptions(output)) });
  },
};
