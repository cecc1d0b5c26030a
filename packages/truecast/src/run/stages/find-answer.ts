/** Answer finder: obtains the answer of one turn by its mode. */
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { notProducedError } from '@truecast/core/internal/output/definition/answer-errors';
import { judgeReply } from '@truecast/core/internal/output/judge/drive';
import type { Reply } from '@truecast/core/internal/output/judge/judged';
import { createTagScanner } from '@truecast/core/internal/output/tag-scanner';
import type { NativeSchema } from '../../ports/agent-provider.ts';
import type { AnswerFinder, FinishedTurn } from '../finalizer/answer-finder.ts';
import type { NormalizedRunOptions } from '../options/normalize-run-options.ts';

/** Creates the finder of a mode whose answer comes in the agent's stream. */
export function createAnswerFinder(
  output: AnyOutputDefinition,
  { agent, native }: Pick<NormalizedRunOptions, 'agent' | 'native'>,
): AnswerFinder {
  return native === undefined
    ? createTagFinder(output)
    : createNativeFinder(output, native, agent.nativeMode?.answersIn === 'text');
}

function createTagFinder(output: AnyOutputDefinition): AnswerFinder {
  const scanner = createTagScanner(output);
  return {
    push: (text) => scanner.push(text),
    partial: () => scanner.snapshot(),
    growing: () => scanner.partial(),
    finish: () => scanner.finish(),
  };
}

/**
 * The text is never searched: only a value from the agent's schema mode counts as an answer, or the
 * last message of an agent that answers so.
 */
function createNativeFinder(
  output: AnyOutputDefinition,
  { inverse }: NativeSchema,
  answersInText: boolean,
): AnswerFinder {
  return {
    push: () => undefined,
    partial: () => undefined,
    async finish(turn) {
      if (turn === undefined || !turn.hasEnded) return { success: false, error: notProducedError(output) };
      const { resultText, isFromCall, isWorkLast } = turn;
      const written = valueIn(turn);
      if (written === undefined && !answersInText) return { success: false, error: notProducedError(output) };
      if (written === undefined && isWorkLast === true) {
        return { success: false, error: notProducedError(output, { message: UNANSWERED }) };
      }
      const reply: Partial<Reply> =
        isFromCall === true && written !== undefined
          ? { otherCall: { text: written, isParsedElsewhere: true } }
          : { text: written ?? resultText, isParsedElsewhere: written !== undefined };
      return judgeReply(reply, output, { mode: 'native', inverse });
    },
  };
}

/** JSON of the value that the agent's schema mode reported. */
function valueIn({ endValue, endValueText }: FinishedTurn): string | undefined {
  return endValue === undefined ? undefined : (endValueText ?? JSON.stringify(endValue));
}

const UNANSWERED =
  "Expected an answer after the agent's last command, got none: its last message reports progress. Set `maxCorrections`.";
