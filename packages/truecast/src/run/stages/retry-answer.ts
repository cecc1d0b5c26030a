/** Retry of an invalid answer: runs the agent again with the errors until its answer is valid. */
import { describeFailure } from '@truecast/core/internal/output/validate/describe-failure';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import type { Provenance, SafeExtractResult } from '@truecast/core/internal/output/definition/provenance';
import { attemptOf, withAttempts } from '@truecast/core/internal/output/definition/answer-errors';
import type { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import {
  FINALIZER_NAME,
  finalizerInstruction,
  FINALIZER_REMINDER,
} from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { isAnswer } from '@truecast/core/internal/output/definition/outcome';
import { checkAnswer } from '@truecast/core/internal/output/validate/check-answer';
import { createAnswerFinder } from './find-answer.ts';
import type { AnswerFinder } from '../finalizer/answer-finder.ts';
import { describeLosses, type RunMode } from '../options/choose-mode.ts';
import { nextSubmissionFinder } from '../finalizer/submission-finder.ts';
import type { WorkingContext } from '../context/run-context.ts';
import { totalUsage } from '../context/run-progress.ts';
import { noteTreeUse, type NotedCheckContext } from '../verify/tree-use.ts';
import { verifyAnswer } from '../verify/verify-answer.ts';
import { takeTurn } from './take-turn.ts';
import type { TurnRequest } from './through-limits.ts';

/** A valid answer, and how it was obtained. */
export interface RunAnswer {
  readonly value: unknown;
  readonly provenance: Provenance;
  /** True if its check used the files of the worktree. */
  readonly isTreeChecked: boolean;
}

/**
 * Runs the agent until its answer is valid, with at most `maxCorrections` retries.
 *
 * A retry continues in the same sandbox and worktree. Its prompt contains only the errors, so no
 * work is done twice. An answer counts as valid only if its check also passes on the final commit.
 *
 * @throws StructuredOutputError with every attempt, if the last one has no valid answer
 */
export async function runForAnswer(
  context: WorkingContext,
  prompt: string,
  output: AnyOutputDefinition,
  mode: RunMode,
): Promise<RunAnswer> {
  const { agent, native } = context.options;
  const losses = native === undefined ? undefined : describeLosses(agent, native);
  if (losses !== undefined) context.warn(losses);
  const finders = createFinders(context, output, mode);
  return askForAnswer(context, mode === 'mcp' ? withReminder(prompt) : prompt, output, finders);
}

/** Without this reminder, an agent that is done can write its answer as text instead. */
function withReminder(prompt: string): string {
  return prompt.includes(FINALIZER_NAME) ? prompt : `${prompt}\n\n${FINALIZER_REMINDER}`;
}

interface AnswerFinders {
  readonly checks: NotedCheckContext;
  next(): AnswerFinder;
}

function createFinders(context: WorkingContext, output: AnyOutputDefinition, mode: RunMode): AnswerFinders {
  const { options, server } = context;
  const checks = noteTreeUse(context);
  return {
    checks,
    next: () =>
      mode === 'mcp' && server !== undefined
        ? nextSubmissionFinder({ output, server, checkContext: checks.context })
        : createAnswerFinder(output, options),
  };
}

async function askForAnswer(
  context: WorkingContext,
  prompt: string,
  output: AnyOutputDefinition,
  finders: AnswerFinders,
): Promise<RunAnswer> {
  const { options, progress } = context;
  let request: Omit<TurnRequest, 'finder'> = {
    prompt,
    resumeSession: options.resumeSession,
    forkSession: options.forkSession,
  };
  for (let attempt = 1; ; attempt += 1) {
    context.emit({ type: 'iteration-start', iteration: progress.iterations.length + 1, attempt });
    progress.turnStarts.push(progress.text.totalChars);
    const answer = await takeAttempt(context, { ...request, finder: finders.next() }, output, finders.checks);
    recordAttempt(context, attempt, answer);
    if (answer.success) {
      const { output: value, provenance } = answer;
      const isTreeChecked = finders.checks.isTreeUsed();
      return { value, provenance: accountFor(context, provenance), isTreeChecked };
    }
    const retriesLeft = options.maxCorrections - attempt + 1;
    const next =
      isRetryable(answer.error) && retriesLeft > 0
        ? nextRequest(context, prompt, output, answer.error, retriesLeft)
        : undefined;
    if (next === undefined) throw withAttempts(answer.error, progress.attempts);
    request = next;
  }
}

async function takeAttempt(
  context: WorkingContext,
  request: TurnRequest & { readonly finder: AnswerFinder },
  output: AnyOutputDefinition,
  checks: NotedCheckContext,
): Promise<SafeExtractResult<unknown>> {
  const { finder } = request;
  const turn = await takeTurn(context, request);
  const found = await finder.finish(turn);
  const answer = finder.isChecked === true ? found : await checkAnswer(found, output, checks.context);
  // Nothing lands with `head`, whose commits are the caller's at once.
  const isLanding = context.options.branchStrategy.type !== 'head';
  const isVerified = answer.success && isLanding && checks.isTreeUsed() && isAnswer(answer.output, output);
  return isVerified ? verifyAnswer(context, output, answer) : answer;
}

/**
 * A turn can contain several attempts, if invalid ones were rejected during the turn. The last one
 * contains the usage.
 */
function recordAttempt(
  { progress, emit }: WorkingContext,
  attempt: number,
  answer: SafeExtractResult<unknown>,
): void {
  const last = attemptOf(answer, progress.iterations.at(-1)?.usage);
  const tries = answer.success ? answer.provenance.attempts : answer.error.attempts;
  progress.attempts.push(...tries.slice(0, -1), last);
  emit({ type: 'attempt-end', attempt, code: last.code, message: last.message });
}

/** A validator that threw would throw again: only the caller can fix it. */
function isRetryable(error: StructuredOutputError): boolean {
  return error.code !== 'validator-error';
}

function nextRequest(
  { options, progress, warn }: WorkingContext,
  prompt: string,
  output: AnyOutputDefinition,
  error: StructuredOutputError,
  retriesLeft: number,
): Omit<TurnRequest, 'finder'> | undefined {
  const left = retriesLeft - 1;
  const feedback =
    error.code === 'check-failed'
      ? describeFailure(error, { values: false, instruction: commitInstruction(options.mode, output, left) })
      : describeFailure(error, {
          retriesLeft: left,
          ...(options.mode === 'mcp' && { instruction: finalizerInstruction(error, left) }),
        });
  if (output.retry === 'fresh') {
    const previous =
      error.rawMatched === undefined ? '' : `\n\nYour previous answer was:\n${error.rawMatched}`;
    return { prompt: `${prompt}${previous}\n\n${feedback}`, resumeSession: undefined, forkSession: false };
  }
  if (progress.sessionId !== undefined) {
    return { prompt: feedback, resumeSession: progress.sessionId, forkSession: false };
  }
  warn(
    `The agent \`${options.agent.name}\` reported no session id, so the retry cannot resume it. Set \`retry: 'fresh'\`.`,
  );
  return undefined;
}

/** The usual instruction forbids to change files, and here a commit is missing. */
function commitInstruction(mode: RunMode | undefined, { tag }: AnyOutputDefinition, left: number): string {
  const form =
    mode === 'mcp'
      ? `call the tool \`${FINALIZER_NAME}\` again, with the whole answer`
      : tag === undefined
        ? 'send the whole structured answer again'
        : `send the whole answer again between <${tag}> and </${tag}>`;
  return `Only commits count, on a clean checkout without ignored files. Commit all that the check needs, then ${form}. Tries left after this one: ${left}.`;
}

function accountFor({ options, progress }: WorkingContext, provenance: Provenance): Provenance {
  const usage = totalUsage(progress);
  const model = progress.model ?? options.agent.model;
  return {
    ...provenance,
    attempts: [...progress.attempts],
    agent: options.agent.name,
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage }),
  };
}
