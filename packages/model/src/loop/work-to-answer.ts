/**
 * Work loop of `generate()` with tools: the model calls tools until it submits an accepted answer.
 *
 * reply → calls are run, or the answer is judged → outcome of the step → the answer loop decides
 */
import type { Attempt } from '@truecast/core/internal/errors/base/run-evidence';
import type { AnswerStep } from '@truecast/core/internal/errors/base/answer-step';
import {
  attemptOf,
  notProducedError,
  withAttempts,
} from '@truecast/core/internal/output/definition/answer-errors';
import { asksAnew, decideAnswer, tellsSchema } from '@truecast/core/internal/output/finalizer/answer-loop';
import {
  CALL_WHEN_DONE,
  FINALIZER_NAME,
  NOT_ANSWERED,
  siblingText,
} from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import type { SafeExtractResult } from '@truecast/core/internal/output/definition/provenance';
import { checkAnswer } from '@truecast/core/internal/output/validate/check-answer';
import { priceUsage, sumUsage } from '@truecast/core/internal/kit/usage';
import { checkContext } from '../call/check-context.ts';
import { isWithheld, type ModelReply } from '../call/model-reply.ts';
import { budgetReached, isUncounted, UNCOUNTED } from '../call/spending.ts';
import type { Conversation, ModeReply } from '../modes/conversation.ts';
import { OF_VALUES } from '../modes/values.ts';
import { tellAnswered } from '../modes/tell-call.ts';
import { RUNAWAY } from '../runaway/runaway-reply.ts';
import type { ReadyTools } from '../tools/read-tools.ts';
import { failed } from '../tools/run-tool.ts';
import { toolMessageOf, runCalls } from './run-calls.ts';
import { endStep, NO_CORRECTION, startWork, withoutAnswer, type Work } from './work.ts';
import { askForStep } from './work-mode.ts';

type Accepted = SafeExtractResult<unknown> & { readonly success: true };

/** An accepted answer, and the steps to it. */
export interface WorkedAnswer {
  readonly answer: Accepted;
  readonly routed: ModeReply;
  readonly steps: readonly AnswerStep[];
}

/** Works until an answer is accepted. Rejects with a StructuredOutputError that has `reason` and `steps`. */
export async function workToAnswer(
  conversation: Conversation,
  tools: ReadyTools,
  attempts: Attempt[],
): Promise<WorkedAnswer> {
  const work = startWork(conversation, tools, attempts);
  for (;;) {
    const decision = decideAnswer(work.progress, work.limits);
    if (decision.type === 'fail') throw withoutAnswer(work, decision.reason);
    assertBudget(work);
    const { received } = conversation;
    conversation.attempt += 1;
    const routed = await askForStep(work, decision.isAnswerDue);
    if (isWork(routed.reply)) {
      conversation.received = received;
      await takeCalls(work, routed, decision.isAnswerDue);
      continue;
    }
    const answer = await takeAnswer(work, routed);
    if (answer !== undefined) return { answer, routed, steps: work.steps };
  }
}

/** A spent budget allows no further step. */
function assertBudget(work: Work): void {
  const { options, usages } = work.conversation;
  const { budget, prices } = options;
  if (work.steps.length === 0) return;
  if (budgetReached(priceUsage(sumUsage(usages), prices), budget)) {
    throw withoutAnswer(work, 'step_budget', ['the `budget` is spent', 'Raise it, or ask for less work.']);
  }
  if (isUncounted(work.steps.at(-1)?.usage, budget)) {
    throw withoutAnswer(work, 'step_budget', ['the service reports no tokens', UNCOUNTED]);
  }
}

/** True for calls of other tools than the answer's, alone or beside it. Calls of a filtered reply do not run. */
function isWork(reply: ModelReply): boolean {
  if (isWithheld(reply) || reply.finishReason === RUNAWAY) return false;
  return reply.toolCalls.some(({ toolName }) => toolName !== FINALIZER_NAME);
}

/** Runs the calls of a step, unless it also submits the answer. */
async function takeCalls(work: Work, routed: ModeReply, isAnswerDue: boolean): Promise<void> {
  const { reply } = routed;
  const { toolCalls, messages } = reply;
  const isMixed = toolCalls.some(({ toolName }) => toolName === FINALIZER_NAME);
  work.done.push(...work.correction.messages);
  work.correction = NO_CORRECTION;
  await tellAnswered(work.conversation, routed, isMixed ? 'not-produced' : 'ok');
  if (isMixed) {
    const said = ({ toolName }: { readonly toolName: string }): string =>
      toolName === FINALIZER_NAME ? NOT_ANSWERED.notAlone : siblingText(FINALIZER_NAME);
    work.done.push(...messages, toolMessageOf(toolCalls.map((call) => ({ call, ...failed(said(call)) }))));
    refuse(work, routed, notProducedError(work.conversation.options.output, { message: NOT_ALONE }));
    await endStep(work, routed, { outcome: 'rejected' });
    return;
  }
  const ran = await runCalls(work, toolCalls, isAnswerDue);
  work.done.push(...messages, toolMessageOf(ran));
  const isUnknown = toolCalls.every(({ toolName }) => !work.tools.has(toolName));
  await endStep(work, routed, {
    outcome: isUnknown ? 'unknown-tool' : 'worked',
    isRepeated: ran.every(({ isRepeated }) => isRepeated),
    calls: ran.map(({ call: { toolName: name }, isError, durationMs }) => ({ name, isError, durationMs })),
  });
}

const NOT_ALONE = `Expected \`${FINALIZER_NAME}\` to be the only call of its step, got other calls beside it.`;

/** Judges a step without work. Returns the answer if it is accepted. */
async function takeAnswer(work: Work, routed: ModeReply): Promise<Accepted | undefined> {
  const { conversation, attempts } = work;
  const { output, signal } = conversation.options;
  const { reply, mode } = routed;
  const answer = await checkAnswer(await mode.read(reply), output, checkContext(signal));
  await tellAnswered(conversation, routed, answer.success ? 'ok' : answer.error.code);
  if (answer.success) {
    attempts.push(attemptOf(answer, reply.usage));
    await endStep(work, routed, { outcome: 'accepted' });
    return answer;
  }
  const { error } = answer;
  refuse(work, routed, error);
  if (error.code === 'validator-error') throw withAttempts(error, attempts);
  const outcome = outcomeOf(reply);
  correct(work, routed, error, outcome);
  await endStep(work, routed, { outcome });
  return undefined;
}

function refuse(work: Work, { reply }: ModeReply, error: StructuredOutputError): void {
  work.attempts.push(attemptOf({ success: false, error }, reply.usage));
  work.lastError = error;
}

function outcomeOf(reply: ModelReply): 'refused' | 'rejected' | 'text-only' | 'empty' {
  if (isWithheld(reply)) return 'refused';
  if (reply.toolCalls.length > 0 || reply.finishReason === RUNAWAY) return 'rejected';
  return reply.text.trim() === '' ? 'empty' : 'text-only';
}

/** Chooses the feedback that the next step reads about a refused answer. */
function correct(
  work: Work,
  { reply, mode }: ModeReply,
  error: StructuredOutputError,
  outcome: ReturnType<typeof outcomeOf>,
): void {
  const { conversation, limits, progress, correction } = work;
  const isValue = OF_VALUES.has(error.code);
  if (!asksAnew({ isValue, isCorrecting: correction.isValue })) {
    const triesLeft = Math.max(0, limits.maxRejections - progress.rejections - 2);
    work.correction = { messages: mode.feedback(reply, error, triesLeft), isValue: true };
    return;
  }
  conversation.renewals += 1;
  const isText = outcome === 'text-only' && !isValue;
  // A text instead of a call gets a sentence about how to answer. Nothing else goes back.
  const content = `${NOT_ANSWERED.text} ${CALL_WHEN_DONE}`;
  work.correction = isText ? { messages: [{ role: 'user', content }], isValue: false } : NO_CORRECTION;
  conversation.isTold ||= !isText && tellsSchema(error.code);
}
