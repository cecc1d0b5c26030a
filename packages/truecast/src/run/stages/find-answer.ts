/** Answer finder: obtains the answer of one turn by its route. */
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { invalidJsonError, notProducedError } from '@truecast/core/internal/output/definition/answer-errors';
import { parseJson } from '@truecast/core/internal/output/json/parse-json';
import { createTagScanner } from '@truecast/core/internal/output/tag-scanner';
import { safeParseAnswer, safeValidateAnswer } from '@truecast/core/internal/output/validate/validate-answer';
import type { NativeSchema } from '../../ports/agent-provider.ts';
import type { AnswerFinder } from '../finalizer/answer-finder.ts';
import type { NormalizedRunOptions } from '../options/normalize-run-options.ts';

/** Creates the finder of a route whose answer comes in the agent's stream. */
export function createAnswerFinder(
  output: AnyOutputDefinition,
  { agent, native }: Pick<NormalizedRunOptions, 'agent' | 'native'>,
): AnswerFinder {
  return native === undefined
    ? createTagFinder(output)
    : createNativeFinder(output, native, agent.nativeRoute?.answersIn === 'text');
}

function createTagFinder(output: AnyOutputDefinition): AnswerFinder {
  const scanner = createTagScanner(output);
  return {
    push: (text) => scanner.push(text),
    partial: () => scanner.partial(),
    finish: () => scanner.finish(),
  };
}

/** The text is never searched: only a value from the agent's schema mode counts as an answer. */
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
      if (turn.endValue !== undefined) {
        const raw = turn.endValueText ?? JSON.stringify(turn.endValue);
        const parsed = parseJson(raw);
        if (!parsed.success) return { success: false, error: invalidJsonError(output, raw, parsed) };
        return safeValidateAnswer(parsed.value, output, {
          route: 'native',
          raw,
          isParsedElsewhere: true,
          inverse,
        });
      }
      if (!answersInText) return { success: false, error: notProducedError(output) };
      return safeParseAnswer(turn.resultText, output, { route: 'native', inverse });
    },
  };
}
