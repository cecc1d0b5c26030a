/** Terminal session of an agent in an open sandbox. */
import type { RecoveredRef } from '@truecast/core/internal/errors/base/run-evidence';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentProvider } from '../ports/agent-provider.ts';
import { openRepository } from '../git/repository/repository.ts';
import { seenByRun } from './places/kept-worktree.ts';
import { syncOut, type OpenSandbox } from './places/open-sandbox.ts';
import { expandPrompt } from './prompt/expand-prompt.ts';
import { preparePrompt, type PromptSource, readTemplate } from './prompt/prepare-prompt.ts';
import { withSharedTerminal } from './context/run-stop.ts';
import { gitCallOf, type PlaceContext, type SettledContext } from './context/run-context.ts';
import type { Settled } from './settle/settle-run.ts';
import { InterruptedError } from '@truecast/core/internal/errors/interrupted-error';
import { BUILT_IN_PROMPT_ARGS, type PromptArgs, keysOf, parseTemplate } from './prompt/prompt-template.ts';

export interface InteractInsideOptions extends PromptSource {
  readonly agent: AgentProvider;
  readonly opened: OpenSandbox;
  readonly agentEnv: Readonly<Record<string, string>>;
  readonly isOnHost: boolean;
  readonly context: PlaceContext;
  /** Settles the branch after the session. */
  settle(context: SettledContext): Promise<Settled>;
}

/** Result of a session. */
export interface InteractionEnd extends Settled {
  readonly exitCode: number;
  readonly recovered?: readonly RecoveredRef[];
}

/**
 * Hands the terminal to the agent, and returns its commits.
 *
 * @throws UsageError if the agent or the sandbox does not support a terminal; SandboxError; the
 *   signal's reason on abort
 */
export async function interactInside(options: InteractInsideOptions): Promise<InteractionEnd> {
  const { agent, opened, context } = options;
  const { signal, warn } = context;
  assertInteractive(agent, opened);
  const call = gitCallOf(context);
  const repository = await openRepository(opened.worktree.repository.topLevel, {
    ...call,
    isUnguarded: opened.snapshot === undefined,
  });
  await syncOut(opened.handle, { warn });
  const worktree = await seenByRun(opened.worktree, repository, call);
  const prompt = await expandedPrompt(options);
  const recovered = new Map<string, RecoveredRef>();
  const made = new Set<string>();
  let exitCode: number;
  try {
    ({ exitCode } = await onTerminal(options, prompt));
  } finally {
    await syncOut(opened.handle, {
      warn,
      onRecovered: (one) => recovered.set(one.ref, one),
      onMade: (sha) => made.add(sha),
    });
    // If the sandbox cannot stop a program, closing the sandbox stops it.
    if (opened.handle.isHung()) await opened.handle.close();
  }
  signal.throwIfAborted();
  const settled = await options.settle({
    options: {
      branchStrategy: worktree.strategy,
      timeouts: context.options.timeouts,
      sensitiveChanges: context.options.sensitiveChanges,
      // The user watches the session, and it has no option to allow it.
      secretsInCommits: 'warn',
    },
    workspace: { ...opened, worktree, agentEnv: options.agentEnv },
    progress: { recovered, made },
    signal,
    warn,
  });
  return { ...settled, exitCode, ...(recovered.size > 0 && { recovered: [...recovered.values()] }) };
}

function assertInteractive(agent: AgentProvider, { handle }: OpenSandbox): void {
  if (agent.buildInteractiveArgs === undefined) {
    throw new UsageError(
      `The agent \`${agent.name}\` cannot run interactively. Use \`run()\`, or another agent.`,
      { code: 'unsupported' },
    );
  }
  if (handle.interactiveExec !== undefined) return;
  throw new UsageError(
    'The sandbox cannot attach a terminal: its handle has no `interactiveExec`. Use `run()`, or another sandbox.',
    { code: 'unsupported' },
  );
}

async function expandedPrompt(options: InteractInsideOptions): Promise<string> {
  const { prompt, promptFile, opened, context } = options;
  if (prompt === undefined && promptFile === undefined) return '';
  const promptArgs = await askPromptArgs(options);
  const prepared = await preparePrompt({ prompt, promptFile, promptArgs });
  const { worktree, handle } = opened;
  return expandPrompt(prepared, {
    expressionTimeoutMs: context.options.timeouts.promptExpressionMs,
    builtIns: {
      SOURCE_BRANCH: worktree.branch ?? 'HEAD',
      TARGET_BRANCH: worktree.repository.branch ?? 'HEAD',
    },
    exec: (command, signal) => handle.exec(command, { signal: AbortSignal.any([context.signal, signal]) }),
  });
}

async function onTerminal(
  { agent, opened, agentEnv, isOnHost, context: { signal } }: InteractInsideOptions,
  prompt: string,
): Promise<{ readonly exitCode: number }> {
  const { handle } = opened;
  const args = agent.buildInteractiveArgs?.({
    prompt,
    dangerouslySkipPermissions: !isOnHost,
    ...(handle.modelBaseUrl !== undefined && { modelBaseUrl: handle.modelBaseUrl }),
  });
  const { stdin, stdout, stderr } = process;
  const ended = await withSharedTerminal(
    async () => await handle.interactiveExec?.(args ?? [], { stdin, stdout, stderr, env: agentEnv, signal }),
  );
  return ended ?? { exitCode: 1 };
}

/**
 * Asks the user for missing arguments of a prompt file. Without a terminal or a prompt file, the
 * arguments stay unchanged.
 *
 * @throws InterruptedError if the user cancels
 */
async function askPromptArgs({ promptFile, promptArgs = {} }: PromptSource): Promise<PromptArgs> {
  if (promptFile === undefined || !process.stdin.isTTY || !process.stdout.isTTY) return promptArgs;
  const template = await readTemplate(promptFile).catch(() => '');
  const known: readonly string[] = [...Object.keys(promptArgs), ...BUILT_IN_PROMPT_ARGS];
  const missing = [...new Set(keysOf(parseTemplate(template)))].filter((key) => !known.includes(key));
  if (missing.length === 0) return promptArgs;
  // Loaded only for a question, because it slows down the import of the package.
  const { isCancel, text } = await import('@clack/prompts');
  const answers: Record<string, string> = {};
  for (const key of missing) {
    const answer = await text({ message: `{{${key}}}` });
    if (isCancel(answer)) {
      throw new InterruptedError('The question was cancelled, so the session was not started.', {
        processSignal: 'SIGINT',
      });
    }
    answers[key] = answer;
  }
  return { ...promptArgs, ...answers };
}
