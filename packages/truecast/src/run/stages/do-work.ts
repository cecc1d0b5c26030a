/** Work of a run in its open place: the prompt, the agent's turns, and the answer. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { ReadyTools } from '@truecast/model/internal/tools/read-tools';
import { withAttachments } from '../attachments/attachment-folder.ts';
import type { Execution } from '../executions/execution.ts';
import { resumePrompt, restartPrompt } from '../executions/continue-prompt.ts';
import { restoreAnswer } from '../executions/restore-answer.ts';
import type { WorkingContext } from '../context/run-context.ts';
import { assertTagInPrompt, type PreparedRun } from '../prepare/prepare-run.ts';
import { startRunServer } from '../finalizer/run-server.ts';
import { expandPrompt } from '../prompt/expand-prompt.ts';
import { openJournal } from '../settle/keep-run.ts';
import type { RunAnswer } from '../context/run-answer.ts';
import { resendWords } from './continued-turn.ts';
import { runForAnswer } from './retry-answer.ts';
import { takeTurn } from './take-turn.ts';

/**
 * Runs the agent until it has answered. Of a run with an id whose answer is stored, returns that answer
 * without starting an agent.
 */
export async function doWork(
  context: WorkingContext,
  prepared: PreparedRun,
  execution: Execution | undefined,
): Promise<RunAnswer | undefined> {
  const { options, workspace, stop } = context;
  const { output, mode, native } = options;
  const stored = execution?.decision === 'land' ? execution.record.answer : undefined;
  if (stored !== undefined) return restoreAnswer(stored, output, native);
  const prompt = await expandPrompt(prepared.prompt, {
    expressionTimeoutMs: options.timeouts.promptExpressionMs,
    builtIns: {
      SOURCE_BRANCH: workspace.worktree.branch ?? 'HEAD',
      TARGET_BRANCH: prepared.repository.branch ?? 'HEAD',
    },
    exec: (command, signal) =>
      workspace.handle.exec(command, { signal: AbortSignal.any([stop.signal, signal]) }),
  });
  context.progress.prompt = prompt;
  await openJournal(context);
  if (output !== undefined && mode !== undefined) assertTagInPrompt(output, prompt);
  const asked = await attachTo(continuedPrompt(prompt, context), context);
  return withRunServer(context, prepared.tools, async (served) => {
    if (output !== undefined && mode !== undefined) return runForAnswer(served, asked, output, mode);
    await runIterations(served, asked);
    return undefined;
  });
}

/**
 * Works with the server, and closes it.
 *
 * @throws UsageError `unsupported` if the sandbox cannot reach it
 */
async function withRunServer<T>(
  context: WorkingContext,
  tools: ReadyTools | undefined,
  work: (context: WorkingContext) => Promise<T>,
): Promise<T> {
  const { options, workspace, signal, mask, emit } = context;
  if (!options.usesServer) return work(context);
  const { finalizerFolder: folder } = workspace;
  if (folder === undefined) {
    throw new UsageError(
      'This sandbox was started without a way for tools of the run to reach it. Remove `tools`, and set `tag` for an answer, or call `run()`.',
      { code: 'unsupported' },
    );
  }
  const server = await startRunServer({
    folder,
    sandboxTag: options.sandbox.tag,
    output: options.mode === 'mcp' ? options.output : undefined,
    hostTools: tools && {
      tools,
      signal,
      mask: (text) => mask.mask(text),
      onCall: (call) => emit({ type: 'host-tool', ...call }),
    },
  });
  try {
    return await work({ ...context, server });
  } finally {
    await server.close();
  }
}

/** Returns the prompt for an agent that continues the work of an earlier execution. */
function continuedPrompt(prompt: string, { options, workspace, execution }: WorkingContext): string {
  const { decision } = execution ?? {};
  if (decision !== 'resume' && decision !== 'restart') return prompt;
  const { branch, baseSha, foundAt = baseSha, wasDirty } = workspace.worktree;
  const found = {
    branch,
    headSha: foundAt,
    commitsSince: baseSha,
    isDirty: wasDirty,
    moved: execution?.moved,
  };
  const { output, mode } = options;
  if (decision === 'restart') return restartPrompt(prompt, found);
  return resumePrompt(found, output && resendWords(mode, output));
}

async function attachTo(prompt: string, { options, workspace, progress }: WorkingContext): Promise<string> {
  const { attachments = [] } = options;
  if (attachments.length === 0) return prompt;
  const { folder, paths } = await workspace.attach(attachments);
  progress.attachmentFolder = folder;
  return withAttachments(prompt, paths);
}

/** Runs an agent without an answer until it writes its completion signal, at most `maxIterations` times. */
async function runIterations(context: WorkingContext, prompt: string): Promise<void> {
  const { options, progress } = context;
  for (let iteration = 1; iteration <= options.maxIterations; iteration += 1) {
    context.emit({ type: 'iteration-start', iteration: progress.iterations.length + 1, attempt: 1 });
    const isFirst = iteration === 1;
    await takeTurn(context, {
      prompt,
      resumeSession: isFirst ? options.resumeSession : undefined,
      forkSession: isFirst && options.forkSession,
      finder: undefined,
    });
    if (progress.completionSignal !== undefined) return;
  }
  // One iteration is a task, more are work until the agent reports its end.
  if (options.maxIterations > 1) {
    context.warn(
      `All ${options.maxIterations} iterations are used up, and the agent did not print its completion signal. Its work can be incomplete.`,
    );
  }
}
