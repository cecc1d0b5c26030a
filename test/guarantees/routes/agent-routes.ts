/**
 * Agent routes: one driver for each way in which Truecast starts a coding agent. The agent is a shell
 * script, so each route meets the same behaviour.
 */
import { z } from 'zod';
import { parseJson } from '../../../packages/core/src/json/parse-json.ts';
import { command } from '../../../packages/truecast/src/agents/command.ts';
import type { BranchStrategy } from '../../../packages/truecast/src/git/command/branch-strategy.ts';
import type { AgentProvider } from '../../../packages/truecast/src/ports/agent-provider.ts';
import type { MountConfig, SandboxProvider } from '../../../packages/truecast/src/ports/sandbox-provider.ts';
import type { BatchResult } from '../../../packages/truecast/src/run/batch/batch-queue.ts';
import { runBatch } from '../../../packages/truecast/src/run/batch/run-batch.ts';
import { createSandbox } from '../../../packages/truecast/src/run/create-sandbox.ts';
import { createWorktree } from '../../../packages/truecast/src/run/create-worktree.ts';
import type { RunOptions } from '../../../packages/truecast/src/run/options/run-options.ts';
import { run } from '../../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { podman } from '../../../packages/truecast/src/sandboxes/podman.ts';
import { reply } from '../../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { TEST_IMAGE } from '../../containers/shared-image.ts';
import type { AskingRoute } from '../table/guarantees.ts';
import { installFakeClaude } from '../../install-fake-claude.ts';
import { runCommand } from './command.ts';
import { runAsJob } from './job-route.ts';
import { failureOf, outcomeOf, type Outcome } from './outcome.ts';
import { startServer } from './server.ts';
import { scriptedModelServer } from '../../../packages/testing/src/scripted-model/scripted-model-server.ts';

/** Sandboxes of the agent routes. */
export type SandboxName = 'none' | 'bubblewrap' | 'podman';

/** What an agent does, and where. */
export interface AgentWork {
  readonly repository: string;
  /** Shell script, run in the agent's worktree. */
  readonly script: string;
  /** @default 'branch' */
  readonly strategy?: 'branch' | 'merge-to-head' | 'head';
  /** Sandbox of kept places, batches, commands and the server's agents. @default 'none' */
  readonly sandbox?: SandboxName;
  /** A custom sandbox, for routes that take one. */
  readonly provider?: SandboxProvider;
  readonly mounts?: readonly MountConfig[];
  readonly env?: Readonly<Record<string, string>>;
  /** Replaces the script. @default a command that runs it */
  readonly agent?: AgentProvider;
  /** Other arguments of the command. */
  readonly args?: readonly string[];
  /** Other options of the run. */
  readonly options?: Partial<RunOptions>;
}

/** Routes that start an agent. */
export type AgentRouteName = Exclude<AskingRoute, 'generate' | 'ensemble'> | 'runs';

/** Starts the agent on one route. */
export type AgentRoute = (work: AgentWork) => Promise<Outcome>;

/** Creates a sandbox without a network, or with the model's only. */
function makeSandbox(name: SandboxName, work: Partial<AgentWork> = {}): SandboxProvider {
  const { mounts = [], agent, provider } = work;
  if (provider !== undefined) return provider;
  const egress = agent === undefined ? 'none' : 'model';
  if (name === 'bubblewrap') return bubblewrap({ egress, mounts });
  if (name === 'podman') return podman({ imageName: TEST_IMAGE, egress, mounts });
  return noSandbox();
}

function agentOf({ agent, script }: AgentWork): AgentProvider {
  return agent ?? command({ command: ['sh', '-c', script] });
}

function strategyOf({ strategy = 'branch' }: AgentWork): BranchStrategy {
  return strategy === 'branch' ? { type: 'branch', branch: 'work' } : { type: strategy };
}

/** Options that each `run()` of the agent routes has. */
function shared(work: AgentWork): Pick<RunOptions, 'agent' | 'prompt' | 'logging'> & Partial<RunOptions> {
  return {
    agent: agentOf(work),
    prompt: 'Work. Answer in <result>.',
    logging: { type: 'file' },
    ...(work.env !== undefined && { env: work.env }),
    ...work.options,
  };
}

const runIn =
  (sandbox: SandboxName): AgentRoute =>
  (work) =>
    outcomeOf(
      run({
        cwd: work.repository,
        branchStrategy: strategyOf(work),
        sandbox: makeSandbox(sandbox, work),
        ...shared(work),
      }),
    );

/** Merges by `createWorktree()`; on a named branch, `createSandbox()`. */
const runKept: AgentRoute = async (work) => {
  const { sandbox: name = 'none', repository } = work;
  const cwd = work.options?.cwd ?? repository;
  const { cwd: _cwd, branchStrategy: _strategy, sandbox: _sandbox, ...asked } = shared(work);
  const notices: string[] = [];
  const onWarning = (text: string): void => void notices.push(text);
  const sandbox = makeSandbox(name, work);
  try {
    if (work.strategy === 'merge-to-head') {
      await using worktree = await createWorktree({
        cwd,
        branchStrategy: { type: 'merge-to-head' },
        onWarning,
      });
      const ended = await outcomeOf(worktree.run({ ...asked, sandbox }));
      return { ...ended, warnings: [...notices, ...ended.warnings] };
    }
    const agents = work.agent === undefined ? {} : { agents: [work.agent] };
    await using kept = await createSandbox({ cwd, branch: 'work', sandbox, onWarning, ...agents });
    const ended = await outcomeOf(kept.run(asked));
    return { ...ended, warnings: [...notices, ...ended.warnings] };
  } catch (error) {
    return failureOf(error);
  }
};

const runInBatch: AgentRoute = async (work) => {
  const results: BatchResult[] = [];
  const { branchStrategy: _strategy, ...options } = shared(work);
  try {
    await runBatch({
      cwd: work.repository,
      sandbox: makeSandbox(work.sandbox ?? 'none', work),
      ...options,
      ...(work.strategy === 'merge-to-head' && { branchStrategy: { type: 'merge-to-head' } as const }),
      inputs: [{ N: 1 }],
      prompt: 'Work on {{N}}. Answer in <result>.',
      onResult: (result) => void results.push(result),
    });
  } catch (error) {
    return failureOf(error);
  }
  return fromBatch(results[0]);
};

const batchSchema = z.looseObject({
  status: z.enum(['ok', 'question', 'declined', 'failed']),
  branch: z.string().optional(),
  commits: z.array(z.union([z.string(), z.object({ sha: z.string() })])).default([]),
  warnings: z.array(z.string()).default([]),
  sensitiveChanges: z.array(z.object({ path: z.string() })).default([]),
  error: z.looseObject({ code: z.string().optional(), message: z.string().optional() }).optional(),
});

function fromBatch(result: BatchResult | undefined): Outcome {
  const { status, branch, commits, warnings, sensitiveChanges, error } = batchSchema.parse(result);
  return {
    isAccepted: status === 'ok',
    ...(error?.code !== undefined && { code: error.code }),
    message: error?.message ?? '',
    warnings,
    ...(branch !== undefined && { branch }),
    commits: commits.map((commit) => (typeof commit === 'string' ? commit : commit.sha)),
    sensitive: sensitiveChanges.map(({ path }) => path),
    output: JSON.stringify(result),
  };
}

const toolSchema = z.looseObject({
  branch: z.string().optional(),
  commits: z.array(z.string()).default([]),
  warnings: z.array(z.string()).default([]),
});

/** The tool `run_coding_agent` of a chat, whose model repeats the tool's result. */
const runInChat: AgentRoute = async (work) => {
  installFakeClaude(work.script);
  let result = '';
  await using model = await scriptedModelServer({
    script: [
      reply.tool('run_coding_agent', { agent: 'claude-code', task: 'Work' }),
      ({ toolResults }) => {
        result = String(toolResults.at(-1)?.text);
        return reply.text(result);
      },
    ],
  });
  await using server = await startServer({
    serviceUrl: model.openaiUrl,
    agents: {
      names: ['claude-code'],
      sandbox: work.sandbox === 'podman' ? 'none' : (work.sandbox ?? 'none'),
      repository: work.repository,
      egress: 'host',
    },
  });
  const ended = await server.chat('Work');
  const parsed = parseJson(result);
  const told = toolSchema.safeParse(parsed.success ? parsed.value : {}).data;
  return {
    ...ended,
    ...(told?.branch !== undefined && { branch: told.branch }),
    commits: told?.commits ?? [],
    warnings: told?.warnings ?? [],
    output: `${result}\n${ended.output}`,
  };
};

/** The model `agent/claude-code` of the OpenAI-compatible API. */
const runOnWire: AgentRoute = async (work) => {
  installFakeClaude(work.script);
  await using server = await startServer({
    agents: {
      names: ['claude-code'],
      sandbox: work.sandbox === 'podman' ? 'none' : (work.sandbox ?? 'none'),
      repository: work.repository,
      egress: 'host',
    },
  });
  return await server.completion({ model: 'agent/claude-code' });
};

const printedSchema = z.looseObject({
  branch: z.string().optional(),
  commits: z.array(z.union([z.string(), z.object({ sha: z.string() })])).default([]),
  warnings: z.array(z.string()).default([]),
  sensitiveChanges: z.array(z.object({ path: z.string() })).default([]),
});

const FLAGS = { branch: ['--branch', 'work'], 'merge-to-head': ['--merge'], head: ['--head'] } as const;

/** `truecast run`. */
const runByCommand: AgentRoute = async (work) => {
  const ended = await runCommand({
    cwd: work.repository,
    args: [
      'run',
      'Work.',
      '--agent',
      `command:${work.script}`,
      '--sandbox',
      work.sandbox ?? 'none',
      '--json',
      ...((work.sandbox ?? 'none') === 'none' ? [] : ['--egress', 'none']),
      ...FLAGS[work.strategy ?? 'branch'],
      ...(work.args ?? []),
    ],
    ...(work.env !== undefined && { env: work.env }),
  });
  const parsed = parseJson(String(ended.value));
  const told = printedSchema.safeParse(parsed.success ? parsed.value : {}).data;
  return {
    ...ended,
    ...(told?.branch !== undefined && { branch: told.branch }),
    commits: told?.commits.map((commit) => (typeof commit === 'string' ? commit : commit.sha)) ?? [],
    warnings: [...(told?.warnings ?? []), ...ended.warnings],
    sensitive: told?.sensitiveChanges.map(({ path }) => path) ?? [],
  };
};

/** `POST /api/runs`, and a worker that executes it in bubblewrap. */
const runOnServer: AgentRoute = ({ repository, script, options }) =>
  runAsJob({ repository, script, ...(options?.output !== undefined && { output: options.output }) });

/** All agent routes. */
export const AGENT_ROUTES: Readonly<Record<AgentRouteName, AgentRoute>> = {
  'run/none': runIn('none'),
  'run/bubblewrap': runIn('bubblewrap'),
  'run/podman': runIn('podman'),
  kept: runKept,
  batch: runInBatch,
  chat: runInChat,
  wire: runOnWire,
  runs: runOnServer,
  command: runByCommand,
};
