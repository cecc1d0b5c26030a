/**
 * Process that executes a run with an id, and is killed by a test or by itself. It prints the result as
 * JSON. Its argument is the JSON of `HostOptions`.
 */
import fs, { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { AgentSessionStorage } from '../../packages/truecast/src/ports/agent-sessions.ts';
import type { StreamAgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';

interface HostOptions {
  readonly cwd: string;
  readonly id?: string;
  /** Shell script of the agent. A line `SESSION <id>` reports its session. */
  readonly script: string;
  readonly sandbox: 'none' | 'bubblewrap';
  /** `merge-to-head`, `default`, or the name of a branch. */
  readonly strategy: string;
  /** File to which the agent's sessions belong. Absent for an agent without sessions. */
  readonly sessions?: string;
  readonly onInterruption?: 'auto' | 'restart';
  /** Kills this process at the write with this number, from 1, of the run's state. */
  readonly kill?: { readonly write: number; readonly when: 'before' | 'after' };
}

const options = JSON.parse(process.argv[2] ?? '{}') as HostOptions;
let writes = 0;

/** The writes of the state are the boundaries of all steps. */
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  const isState = /[/\\]executions[/\\][\da-f]{32}\.json$/u.test(String(to));
  writes += isState ? 1 : 0;
  const isTime = isState && options.kill?.write === writes;
  if (isTime && options.kill?.when === 'before') process.kill(process.pid, 'SIGKILL');
  renameSync(from, to);
  if (isTime && options.kill?.when === 'after') process.kill(process.pid, 'SIGKILL');
};
syncBuiltinESMExports();

function agentOf({ script, sessions }: HostOptions): StreamAgentProvider {
  const base = command({
    command: ['sh', '-c', script],
    parse: (line) =>
      line.startsWith('SESSION ')
        ? { type: 'session', sessionId: line.slice('SESSION '.length) }
        : { type: 'text', text: `${line}\n` },
  });
  if (sessions === undefined) return base;
  const find: AgentSessionStorage['findByIdOnHost'] = () =>
    Promise.resolve({ path: existsSync(sessions) ? sessions : undefined, searchedRoot: sessions });
  return {
    ...base,
    buildPrintCommand: (asked) => ({
      ...base.buildPrintCommand(asked),
      env: { RESUMED: asked.resumeSession ?? '' },
    }),
    sessionStorage: {
      captureToHost: () => Promise.resolve(sessions),
      resumeIntoSandbox: () => Promise.resolve(),
      readHostSession: () => Promise.resolve(undefined),
      existsOnHost: () => Promise.resolve(existsSync(sessions)),
      hostSessionFilePath: () => sessions,
      findByIdOnHost: find,
    },
  };
}

function strategyOf(strategy: string): Pick<RunOptions, 'branchStrategy'> {
  if (strategy === 'default') return {};
  if (strategy === 'merge-to-head') return { branchStrategy: { type: strategy } };
  return { branchStrategy: { type: 'branch', branch: strategy } };
}

const result = await run({
  ...(options.id !== undefined && { id: options.id }),
  agent: agentOf(options),
  sandbox: options.sandbox === 'bubblewrap' ? bubblewrap({ egress: 'none' }) : noSandbox(),
  ...strategyOf(options.strategy),
  ...(options.onInterruption !== undefined && { policies: { onInterruption: options.onInterruption } }),
  prompt: 'Answer in <result>.',
  cwd: options.cwd,
  output: Output.object({
    tag: 'result',
    schema: z.object({ answer: z.number().transform((answer) => `#${answer}`) }),
  }),
}).catch((error: unknown) => error);
if (result instanceof Error) {
  process.stdout.write(JSON.stringify({ error: result.message, code: Reflect.get(result, 'code'), writes }));
} else {
  const { output, commits, branch, commitsSince, warnings } = result as Awaited<ReturnType<typeof run>> & {
    readonly output: { readonly answer: string };
  };
  process.stdout.write(
    JSON.stringify({ answer: output.answer, commits, branch, commitsSince, warnings, writes }),
  );
}
