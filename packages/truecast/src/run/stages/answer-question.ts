/** Answer of a person to an agent's question: its prompt in the same session, or in a new one. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { outcomeIn } from '@truecast/core/internal/output/definition/outcome';
import type { RunPromise } from '../events/run-events.ts';
import type { AnyRunResult } from '../options/read-only.ts';
import type { ContinueOptions } from '../options/run-options.ts';

/** A run that ended, perhaps with a question. */
export interface AskedRun {
  /** Value of the answer. */
  readonly value: unknown;
  readonly output: AnyOutputDefinition | undefined;
  /** The first prompt, expanded. */
  readonly prompt: string | undefined;
}

/** An answer as a prompt. */
export interface AnswerPrompt {
  readonly inSession: string;
  /** For an agent without sessions: it repeats the task and the question. */
  readonly inNewSession: string;
}

/** Returns the member `answer` of a result, if the run ended with a question. */
export function answerTo(
  { value, output, prompt = '' }: AskedRun,
  run: (prompt: AnswerPrompt, changes: ContinueOptions) => RunPromise<AnyRunResult>,
): { answer?: (text: string, changes?: ContinueOptions) => RunPromise<AnyRunResult> } {
  const outcome = outcomeIn(value, output);
  if (outcome?.outcome !== 'question' || output === undefined) return {};
  const { question } = outcome;
  return {
    answer(text, changes = {}) {
      assertAnswerText(text);
      return run(answerPrompt({ question, prompt, output }, text), changes);
    },
  };
}

/** @throws UsageError for an empty answer, which no question expects */
export function assertAnswerText(text: unknown, name = 'The answer'): asserts text is string {
  if (typeof text === 'string' && text.trim() !== '') return;
  throw new UsageError(
    `${name}: expected a non-empty string, got ${describeValue(text)}. Pass the text of the person's answer.`,
  );
}

/** Returns the prompt for the session of the question. */
export function sessionPrompt(output: AnyOutputDefinition | undefined, text: string): string {
  const place = output?.tag === undefined ? '' : `, between <${output.tag}> and </${output.tag}>`;
  return `The answer to your question: ${text}\n\nContinue with the task. End in the same form as before${place}.`;
}

function answerPrompt(
  {
    question,
    prompt,
    output,
  }: { readonly question: unknown; readonly prompt: string; readonly output: AnyOutputDefinition },
  text: string,
): AnswerPrompt {
  const asked = JSON.stringify(question);
  return {
    inSession: sessionPrompt(output, text),
    inNewSession: `${prompt}\n\nYou have begun this task before, and your work is here. You asked a person: ${asked}\n${sessionPrompt(output, text)}`,
  };
}
