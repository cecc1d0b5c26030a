/** `truecast runs create`: creates an agent run on a server, and waits for it on request. */
import { readTemplate } from 'truecast/internal/run/prompt/prepare-prompt';
import type { AgentRunLimits } from '@truecast/client/internal/wire/runs/agent-run';
import type { CreateRunOptions } from '@truecast/client/internal/runs/client-run';
import { loadOutput } from '../flags/load-output.ts';
import type { OutputFlags } from '../flags/output-flags.ts';
import { parseArguments, readPrompt, type PromptFlags } from '../flags/read-prompt.ts';
import { connectServer, explained } from '../serve/connect-server.ts';
import type { CommandTerminal } from '../terminal/print.ts';
import { showNewRun } from './change-commands.ts';
import type { WaitFlags } from './watch-run.ts';

export interface CreateRunFlags extends OutputFlags, PromptFlags, WaitFlags {
  readonly repository: string;
  readonly agent: string;
  readonly ref?: string;
  readonly branch?: string;
  readonly push?: 'always' | 'on_success' | 'never';
  readonly readOnly?: true;
  /** Seconds, as the other times. */
  readonly timeout?: number;
  readonly idleTimeout?: number;
  readonly budgetTokens?: number;
  readonly budgetUsd?: number;
  readonly executions?: number;
  readonly onWorkerLoss?: 'auto' | 'resume' | 'restart' | 'fail';
  readonly metadata?: readonly string[];
  readonly priority?: number;
  readonly expires?: number;
  readonly webhook?: string;
  readonly wait?: true;
}

const EXAMPLE = 'truecast runs create "Fix the bug" --repository NAME --agent NAME';

/** Creates the run. Prints its id, or with `--wait` its answer. */
export async function createRunCommand(
  word: string | undefined,
  flags: CreateRunFlags,
  terminal: CommandTerminal,
): Promise<void> {
  const prompt = await promptOf(word, flags, terminal, EXAMPLE);
  const output = await loadOutput(flags);
  const client = await connectServer(flags);
  const options = { ...toOptions(flags), prompt };
  const run = await explained(
    output === undefined ? client.runs.create(options) : client.runs.create({ ...options, output }),
  );
  return showNewRun(run, flags, terminal, output);
}

/** Returns the text of the prompt. `example`: a call of the command with a prompt. */
export async function promptOf(
  word: string | undefined,
  flags: PromptFlags,
  terminal: CommandTerminal,
  example: string,
): Promise<string> {
  const { prompt, promptFile } = await readPrompt(word, flags, terminal, example);
  return promptFile === undefined ? (prompt ?? '') : readTemplate(promptFile);
}

/** Returns the request of the flags without its prompt and its answer. */
export function toOptions(flags: CreateRunFlags): Omit<CreateRunOptions<never>, 'prompt'> {
  const { repository, ref, branch, push, readOnly, onWorkerLoss, metadata, priority, expires, webhook } =
    flags;
  return {
    repository,
    ...agentOf(flags.agent),
    ...(ref !== undefined && { ref }),
    ...(branch !== undefined && { branch }),
    ...(push !== undefined && { push }),
    ...(readOnly !== undefined && { readOnly }),
    ...(onWorkerLoss !== undefined && { onWorkerLoss }),
    ...(metadata !== undefined && { metadata: parseArguments(metadata, '--metadata') }),
    ...(priority !== undefined && { priority }),
    ...(webhook !== undefined && { webhook: { url: webhook } }),
    ...(expires !== undefined && { expiresAfterSeconds: Math.ceil(expires) }),
    ...limitsOf(flags),
  };
}

function agentOf(reference: string): Pick<CreateRunOptions, 'agent' | 'model'> {
  const [agent = '', ...model] = reference.split(':');
  return model.length === 0 ? { agent } : { agent, model: model.join(':') };
}

function limitsOf(flags: CreateRunFlags): { readonly limits?: AgentRunLimits } {
  const { timeout, idleTimeout, budgetTokens: tokens, budgetUsd: usd, executions } = flags;
  const limits: AgentRunLimits = {
    ...(timeout !== undefined && { timeout_seconds: Math.ceil(timeout) }),
    ...(idleTimeout !== undefined && { idle_timeout_seconds: Math.ceil(idleTimeout) }),
    ...(tokens !== undefined && { tokens }),
    ...(usd !== undefined && { usd }),
    ...(executions !== undefined && { executions }),
  };
  return Object.keys(limits).length === 0 ? {} : { limits };
}
