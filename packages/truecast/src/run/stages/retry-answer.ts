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
import { createAnswerFinder } from './find-answer.ts';
import type { AnswerFinder } from '../finalizer/answer-finder.ts';
import { describeLosses, type RunMode } from '../options/choose-mode.ts';
import { nextSubmissionFinder } from '../finalizer/submission-finder.ts';
import type { RunAnswer } from '../context/run-answer.ts';
import type { WorkingContext } from '../context/run-context.ts';
import { totalUsage } from '../context/run-progress.ts';
import { createAnswerChecks, type AnswerChecks } from '../verify/answer-checks.ts';
import { verifyAnswer } from '../verify/verify-answer.ts';
import { resendWords, continuedTurn, findMissing, notAccepted, untilPrompt } from './continued-turn.ts';
import { takeTurn } from './take-turn.ts';
import type { TurnRequest } from './through-limits.ts';

/**
 * Runs the agent until its answer is valid, with at most `maxCorrections` retries, and until `until`
 * accepts it, in at most `maxRounds` rounds with as many retries each.
 *
 * A retry continues in the same sandbox and worktree. Its prompt contains only the errors, so no
 * work is done twice. An answer counts as valid only if its check also passes on the final commit.
 *
 * @throws StructuredOutputError with every attempt, if the last one has no valid answer; LimitError
 *   `rounds` with the last answer
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
  readonly checks: AnswerChecks;
  next(): AnswerFinder;
}

function createFinders(context: WorkingContext, output: AnyOutputDefinition, mode: RunMode): AnswerFinders {
  const { options, server } = context;
  const checks = createAnswerChecks(context, output);
  return {
    checks,
    next: () =>
      mode === 'mcp' && server !== undefined
        ? nextSubmissionFinder({ output, server, check: checks.check })
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
  let round = { number: 1, prompt, corrections: 0 };
  for (let attempt = 1; ; attempt += 1) {
    context.emit({ type: 'iteration-start', iteration: progress.iterations.length + 1, attempt });
    progress.turnStarts.push(progress.text.totalChars);
    const turn = { ...request, finder: finders.next(), round: round.number };
    const { answer, missing } = await takeAttempt(context, turn, output, finders.checks);
    recordAttempt(context, attempt, answer);
    let next: Omit<TurnRequest, 'finder'> | undefined;
    if (answer.success) {
      const { output: value, provenance } = answer;
      const isTreeChecked = finders.checks.isTreeUsed();
      const accepted = { value, provenance: accountFor(context, provenance), isTreeChecked };
      if (missing === undefined) return accepted;
      if (round.number < options.maxRounds) next = nextRound(context, prompt, output, { answer, missing });
      if (next === undefined) throw notAccepted(accepted, round.number, missing);
      round = { number: round.number + 1, prompt: next.prompt, corrections: 0 };
    } else {
      const retriesLeft = options.maxCorrections - round.corrections;
      if (isRetryable(answer.error) && retriesLeft > 0) {
        next = nextRequest(context, round.prompt, output, answer.error, retriesLeft);
      }
      if (next === undefined) throw withAttempts(answer.error, progress.attempts);
      round = { ...round, corrections: round.corrections + 1 };
    }
    request = next;
  }
}

/** Result of a turn: its answer, and what `until` misses in a valid one. */
interface TakenAttempt {
  readonly answer: SafeExtractResult<unknown>;
  readonly missing?: string | undefined;
}

async function takeAttempt(
  context: WorkingContext,
  { round, ...request }: TurnRequest & { readonly finder: AnswerFinder; readonly round: number },
  output: AnyOutputDefinition,
  checks: AnswerChecks,
): Promise<TakenAttempt> {
  const { finder } = request;
  const turn = await takeTurn(context, request);
  const found = await finder.finish(turn);
  const answer = finder.isChecked === true ? found : await checks.check(found);
  if (!answer.success || !isAnswer(answer.output, output)) return { answer };
  const missing = await findMissing(context, answer.output, round);
  if (missing !== undefined) return { answer, missing };
  // Nothing lands with `head`, whose commits are the caller's at once, and nothing of a read-only run.
  const { branchStrategy, isThrownAway } = context.options;
  const isLanding = branchStrategy.type !== 'head' && !isThrownAway;
  return { answer: isLanding && checks.isTreeUsed() ? await verifyAnswer(context, output, answer) : answer };
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
  const issues = answer.success ? [] : answer.error.issues;
  const { code, message } = last;
  emit({ type: 'attempt-end', attempt, code, message, ...(issues.length > 0 && { issues }) });
}

/** A validator that threw would throw again: only the caller can fix it. */
function isRetryable(error: StructuredOutputError): boolean {
  return error.code !== 'validator-error';
}

function nextRequest(
  context: WorkingContext,
  prompt: string,
  output: AnyOutputDefinition,
  error: StructuredOutputError,
  retriesLeft: number,
): Omit<TurnRequest, 'finder'> | undefined {
  const { options } = context;
  const left = retriesLeft - 1;
  const feedback =
    error.code === 'check-failed'
      ? describeFailure(error, { values: false, instruction: commitInstruction(options.mode, output, left) })
      : describeFailure(error, {
          retriesLeft: left,
          ...(options.mode === 'mcp' && { instruction: finalizerInstruction(error, left) }),
        });
  return continuedTurn(context, output, { prompt, previous: error.rawMatched, feedback });
}

/** Returns the request of the next round. Undefined if the session cannot be resumed. */
function nextRound(
  context: WorkingContext,
  prompt: string,
  output: AnyOutputDefinition,
  {
    answer,
    missing,
  }: { readonly answer: SafeExtractResult<unknown> & { success: true }; readonly missing: string },
): Omit<TurnRequest, 'finder'> | undefined {
  const feedback = untilPrompt(missing, resendWords(context.options.mode, output));
  return continuedTurn(context, output, { prompt, previous: answer.provenance.raw, feedback });
}

/** Instruction for a missing commit. The usual one forbids changes of files. */
function commitInstruction(mode: RunMode | undefined, output: AnyOutputDefinition, left: number): string {
  const form = resendWords(mode, output);
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
