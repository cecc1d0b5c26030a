/**
 * Process that executes a run with an id, and is killed by a test or by itself. It prints the result as
 * JSON. Its argument is the JSON of `HostOptions`.
 */
import fs, { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
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

interface HostOptions {
  readonly cwd: string;
  readonly id?: string;
  /** Shell script of the agent. A line `SESSION <id>` reports its session. */
  readonly script: string;
  readonly sandbox: 'none' | 'bubblewrap' | 'podman';
  /** `merge-to-head`, `default`, or the name of a branch. */
  readonly strategy: string;
  /** File to which the agent's sessions belong. Absent for an agent without sessions. */
  readonly sessions?: string;
  /** `native` is Claude Code: the `claude` in PATH. `mcp` submits after the script. @default 'tag' */
  readonly answers?: 'tag' | 'native' | 'mcp';
  readonly readOnly?: true;
  readonly publish?: 'pull-request';
  readonly onInterruption?: 'auto' | 'restart';
  /** Path of the recording. @default none */
  readonly record?: string;
  /**
   * Kills this process at the write with this number, from 1, of the run's state, or at the record of an
   * agent without a sandbox that was just started.
   */
  readonly kill?: { readonly write: number | 'agent'; readonly when: 'before' | 'after' };
}

type Answered = ReadOnlyRunResultWithOutput<{ readonly answer: string }> &
  Partial<Pick<RunResult, WorkOfRun>>;

const options = JSON.parse(process.argv[2] ?? '{}') as HostOptions;
let writes = 0;

/** The writes of the state are the boundaries of all steps. */
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  const isState = /[/\\]executions[/\\][\da-f]{32}\.json$/u.test(String(to));
  writes += isState ? 1 : 0;
  const isAgent = /[/\\]agents[/\\][^/\\]+\.json$/u.test(String(to));
  const isTime = options.kill?.write === (isAgent ? 'agent' : isState && writes);
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

/** The script, and then a program that submits the answer to the server of the run. */
function submitting(given: HostOptions): AgentProvider {
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

const AGENTS: Readonly<Record<'tag' | 'native' | 'mcp', (given: HostOptions) => AgentProvider>> = {
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

const { answers = 'tag' } = options;
const schema = z.object({ answer: z.number().transform((answer) => `#${answer}`) });
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
const { readOnly, publish, strategy } = options;
const running: Promise<Answered> =
  readOnly === true
    ? run({ ...asked, readOnly })
    : run({ ...asked, ...strategyOf(strategy), ...(publish !== undefined && { publish }) });
const printed: object = await running.then(
  ({ output, provenance, commits, branch, commitsSince, pullRequestUrl, warnings }) => ({
    answer: output.answer,
    mode: provenance.mode,
    commits,
    branch,
    commitsSince,
    pullRequestUrl,
    warnings,
  }),
  (error: unknown) => ({ error: String(error), code: error instanceof Error && Reflect.get(error, 'code') }),
);
process.stdout.write(JSON.stringify({ ...printed, writes }));
