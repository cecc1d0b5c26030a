/** Owns finding the answer of one turn by its route. */
import type { AnyOutputDefinition } from '../output/definition.ts';
import { notProducedError } from '../output/answer-errors.ts';
import type { SafeExtractResult } from '../output/safe-extract-result.ts';
import { createTagScanner } from '../output/tag-scanner.ts';
import { safeParseAnswer, safeValidateAnswer } from '../output/validate-answer.ts';
import type { McpServerCommand, NativeSchema } from './agents/agent-provider.ts';
import type { NormalizedRunOptions } from './normalize-run-options.ts';
import type { AgentTurn } from './run-agent-turn.ts';

/** Looks for the answer of one turn. */
export interface AnswerFinder {
  /** Takes the agent's words as they come. */
  push(text: string): void;
  /** The answer so far; undefined where the route has no preview. */
  partial(): { readonly value: unknown } | undefined;
  /** The server whose tool takes the answer. */
  readonly mcpServer?: McpServerCommand;
  /** Resolves when the tool has accepted an answer. */
  readonly answered?: Promise<void>;
  /** Tells whether an answer is being judged while the agent waits. */
  isAwaited?(): boolean;
  /** True when the caller's check has judged the answer too. */
  readonly isChecked?: boolean;
  /** Judges the turn's answer; `turn` is undefined when the process failed and only the words are there. */
  finish(turn: AgentTurn | undefined): Promise<SafeExtractResult<unknown>>;
}

/** Makes the finder of a route whose answer comes in the agent's stream. */
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

/** The text is never searched: a value that the agent's schema mode did not produce is none. */
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
        return safeValidateAnswer(turn.endValue, output, {
          route: 'native',
          raw: JSON.stringify(turn.endValue),
          inverse,
        });
      }
      if (!answersInText) return { success: false, error: notProducedError(output) };
      return safeParseAnswer(turn.resultText, output, { route: 'native', inverse });
    },
  };
}
