/** Run of a repeated world: one execution in this process, with the agent, sandbox and answer that are asked for. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { AgentSessionStorage } from '../../packages/truecast/src/ports/agent-sessions.ts';
import type { AgentProvider, StreamAgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import type {
  ReadOnlyRunResultWithOutput,
  WorkOfRun,
} from '../../packages/truecast/src/run/options/read-only.ts';
import type { RunOptions, RunResult } from '../../packages/truecast/src/run/options/run-options.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { podman } from '../../packages/truecast/src/sandboxes/podman.ts';
import { joinCommand } from '../../packages/truecast/src/support/shell-quote.ts';
import { TEST_IMAGE } from '../containers/shared-image.ts';
import { submit, submittingAgent } from './submitting-agent.ts';

/** Options of one execution. */
export interface ExecutionOptions {
  readonly cwd: string;
  readonly id?: string | undefined;
  /** Shell script of the agent. A line `SESSION <id>` reports its session. */
  readonly script: string;
  readonly sandbox: 'none' | 'bubblewrap' | 'podman';
  /** `merge-to-head`, `default`, or the name of a branch. */
  readonly strategy: string;
  /** File to which the agent's sessions belong. Absent for an agent without sessions. */
  readonly sessions?: string | undefined;
  /** `native` is Claude Code: the `claude` in PATH. `mcp` submits after the script. @default 'tag' */
  readonly answers?: 'tag' | 'native' | 'mcp';
  readonly readOnly?: true;
  readonly publish?: 'pull-request';
  readonly onInterruption?: 'auto' | 'restart';
  /** Path of the recording. @default none */
  readonly record?: string;
}

type Answered = ReadOnlyRunResultWithOutput<{ readonly answer: string }> &
  Partial<Pick<RunResult, WorkOfRun>>;

function agentOf({ script, sessions }: ExecutionOptions): StreamAgentProvider {
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

/** The script, and then a program that submits the answer to the server of the run. */
function submitting(given: ExecutionOptions): AgentProvider {
  const base = agentOf(given);
  const submits = submittingAgent([submit({ answer: 42 })]);
  return {
    ...base,
    canUseMcp: true,
    buildPrintCommand: (asked) => ({
      ...base.buildPrintCommand(asked),
      command: `${joinCommand(['sh', '-c', given.script])} && ${submits.buildPrintCommand(asked).command}`,
    }),
  };
}

const AGENTS: Readonly<Record<'tag' | 'native' | 'mcp', (given: ExecutionOptions) => AgentProvider>> = {
  tag: agentOf,
  native: () => claudeCode(),
  mcp: submitting,
};

const SANDBOXES = {
  none: () => noSandbox(),
  bubblewrap: () => bubblewrap({ egress: 'none' }),
  podman: () => podman({ imageName: TEST_IMAGE, egress: 'none' }),
} as const;

function strategyOf(strategy: string): Pick<RunOptions, 'branchStrategy'> {
  if (strategy === 'default') return {};
  if (strategy === 'merge-to-head') return { branchStrategy: { type: strategy } };
  return { branchStrategy: { type: 'branch', branch: strategy } };
}

const schema = z.object({ answer: z.number().transform((answer) => `#${answer}`) });

/** Executes the run, and returns its result, or its error. */
export async function executeRun(options: ExecutionOptions): Promise<object> {
  const { answers = 'tag', readOnly, publish, strategy } = options;
  const asked = {
    ...(options.id !== undefined && { id: options.id }),
    agent: AGENTS[answers](options),
    sandbox: SANDBOXES[options.sandbox](),
    ...(options.onInterruption !== undefined && { policies: { onInterruption: options.onInterruption } }),
    prompt: 'Answer in <result>.',
    cwd: options.cwd,
    ...(options.record !== undefined && { logging: { record: options.record } }),
    output:
      answers === 'tag' ? Output.object({ tag: 'result', schema }) : Output.object({ mode: answers, schema }),
  };
  const running: Promise<Answered> =
    readOnly === true
      ? run({ ...asked, readOnly })
      : run({ ...asked, ...strategyOf(strategy), ...(publish !== undefined && { publish }) });
  return running.then(
    ({ output, provenance, commits, branch, commitsSince, pullRequestUrl, warnings }) => ({
      answer: output.answer,
      mode: provenance.mode,
      commits,
      branch,
      commitsSince,
      pullRequestUrl,
      warnings,
    }),
    (error: unknown) => ({
      error: String(error),
      code: error instanceof Error && Reflect.get(error, 'code'),
    }),
  );
}
