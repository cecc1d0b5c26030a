/**
 * Further turns of the agent for one answer: in the same session, or in a new one with the whole prompt.
 * With `until`, the caller's verdict on a valid answer asks for them.
 */
import { LimitError } from '@truecast/core/internal/errors/limit-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { untilAborted } from '@truecast/core/internal/kit/until-aborted';
import { cut, describeValue } from '@truecast/core/internal/kit/describe-value';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import type { Provenance } from '@truecast/core/internal/output/definition/provenance';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { RunMode } from '../options/choose-mode.ts';
import type { WorkingContext } from '../context/run-context.ts';
import type { TurnRequest } from './through-limits.ts';

/** Facts for an agent without the session. */
export interface ContinuedTurn {
  /** The prompt so far. */
  readonly prompt: string;
  /** The last answer, as text. */
  readonly previous: string | undefined;
  /** Why the turn is not the last one. */
  readonly feedback: string;
}

/** Returns the request of the turn. Undefined, with a warning, if the agent reported no session. */
export function continuedTurn(
  { options, progress, warn }: WorkingContext,
  { retry }: AnyOutputDefinition,
  { prompt, previous, feedback }: ContinuedTurn,
): Omit<TurnRequest, 'finder'> | undefined {
  if (retry === 'fresh') {
    const answered = previous === undefined ? '' : `\n\nYour previous answer was:\n${previous}`;
    return { prompt: `${prompt}${answered}\n\n${feedback}`, resumeSession: undefined, forkSession: false };
  }
  if (progress.sessionId !== undefined) {
    return { prompt: feedback, resumeSession: progress.sessionId, forkSession: false };
  }
  warn(
    `The agent \`${options.agent.name}\` reported no session id, so the retry cannot resume it. Set \`retry: 'fresh'\`.`,
  );
  return undefined;
}

/** Returns how the answer is to be sent again, as the end of a sentence. */
export function resendWords(mode: RunMode | undefined, { tag }: AnyOutputDefinition): string {
  if (mode === 'mcp') return `call the tool \`${FINALIZER_NAME}\` again, with the whole answer`;
  if (tag === undefined) return 'send the whole structured answer again';
  return `send the whole answer again between <${tag}> and </${tag}>`;
}

const NOT_DONE = 'The answer does not complete the task.';

/**
 * Returns the part that the caller misses in the answer. Undefined if it is accepted.
 *
 * @throws UsageError for another verdict; the exception of the caller's function
 */
export async function findMissing(
  { options: { until }, signal }: WorkingContext,
  value: unknown,
  round: number,
): Promise<string | undefined> {
  if (until === undefined) return undefined;
  // It can wait for anything, also after an abort.
  const verdict: unknown = await untilAborted((async () => until(value, round))(), signal);
  if (verdict === true) return undefined;
  if (verdict === false) return NOT_DONE;
  if (typeof verdict === 'string' && verdict.trim() !== '') return verdict;
  throw new UsageError(
    `Expected \`until\` to return a boolean or a text for the agent, got ${describeValue(verdict)}. Return true to accept the answer.`,
  );
}

/** Returns the prompt of the next round. */
export function untilPrompt(missing: string, form: string): string {
  return `${missing}\n\nContinue with the task, then ${form}.`;
}

/** Creates the error for a run whose last round was not accepted. It carries the last answer. */
export function notAccepted(
  { value, provenance }: { readonly value: unknown; readonly provenance: Provenance },
  rounds: number,
  missing: string,
): LimitError {
  const many = rounds === 1 ? 'the answer of 1 round' : `the answers of ${rounds} rounds`;
  return new LimitError(
    `\`until\` did not accept ${many}: ${cut(missing)} Nothing was merged or published, and commits are kept on the branch. Resume the session, or raise \`maxRounds\`.`,
    { code: 'rounds', output: value, provenance },
  );
}
