/** Runs coding agents for the server: each task with `run()` on a new branch. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { Output } from '@truecast/core/internal/output/output';
import { AGENTS, findAgent } from 'truecast/internal/agents/registry/agents';
import { temporaryBranchName } from 'truecast/internal/git/command/branch-name';
import type { RunOptions, RunResult, RunResultWithOutput } from 'truecast/internal/run/options/run-options';
import { run } from 'truecast/internal/run/run';
import { jsonSchema } from '@truecast/core/internal/schema/json-schema';
import type { AgentReply, AgentRunner, AgentTask } from '../agents/agent-runner.ts';
import { traceEnvironment } from '@truecast/model/internal/telemetry/traceparent';
import { valueText } from './runs/value-text.ts';

/** Number of an agent's attempts after the first. */
const MAX_RETRIES = 2;

export interface AgentRunnerOptions extends Pick<RunOptions, 'sandbox' | 'timeouts' | 'budget'> {
  /** The agents' repository. @default `process.cwd()` */
  readonly cwd?: string;
  /** Enabled agents. @default all known ones */
  readonly agents?: readonly string[];
}

/**
 * Creates the runner. Each task has a new worktree and branch. The branch is never merged, and is
 * deleted if it has no commit.
 *
 * @throws UsageError for an unknown agent
 */
export function agentRunner({ agents = Object.keys(AGENTS), ...rest }: AgentRunnerOptions): AgentRunner {
  const unknown = agents.find((name) => findAgent(name) === undefined);
  if (unknown !== undefined) {
    throw new UsageError(
      `Expected \`agents\` to contain only ${Object.keys(AGENTS).join(', ')}, got \`${unknown}\`. Remove it.`,
    );
  }
  return {
    list: () => agents,
    async run(task) {
      const entry = agents.includes(task.agent) ? findAgent(task.agent) : undefined;
      if (entry === undefined) {
        throw new UsageError(
          `This server has no agent \`${task.agent}\`. Add it to \`agents\` in the configuration.`,
        );
      }
      const result: RunResult = await run({
        logging: { type: 'file' },
        ...rest,
        ...toRunOptions(task),
        agent: entry.make(task.model),
      });
      return toReply(result);
    },
  };
}

function toRunOptions(task: AgentTask): Omit<RunOptions, 'agent' | 'sandbox'> {
  const { prompt, signal, output, agent, name = agent, traceparent } = task;
  const random = crypto.getRandomValues(new Uint8Array(3));
  const branch = temporaryBranchName({ name, now: new Date(), random });
  task.onBranch?.(branch);
  return {
    prompt,
    signal,
    branchStrategy: { type: 'branch', branch },
    ...(traceparent !== undefined && { env: traceEnvironment(task) }),
    ...(output !== undefined && { output: toOutput(output) }),
  };
}

function toOutput({ schema }: NonNullable<AgentTask['output']>): AnyOutputDefinition {
  return Output.object({
    schema: jsonSchema.unchecked(schema, { maxBytes: 65_536 }),
    maxCorrections: MAX_RETRIES,
  });
}

function toReply(result: RunResult): AgentReply {
  const { usage, branch, commits, warnings } = result;
  const work = { branch, commits: commits.map(({ sha }) => sha), ...(warnings.length > 0 && { warnings }) };
  return {
    text: isTyped(result) ? valueText(result) : result.stdout,
    ...(usage !== undefined && { usage }),
    ...(commits.length + warnings.length > 0 && { work }),
  };
}

function isTyped(result: RunResult): result is RunResultWithOutput<unknown> {
  return 'output' in result;
}
