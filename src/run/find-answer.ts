/** Answer finder: obtains the answer of one turn by its route. */
import type { AnyOutputDefinition } from '../output/definition.ts';
import { notProducedError } from '../output/answer-errors.ts';
import type { SafeExtractResult } from '../output/safe-extract-result.ts';
import { createTagScanner } from '../output/tag-scanner.ts';
import { safeParseAnswer, safeValidateAnswer } from '../output/validate-answer.ts';
import type { McpServerCommand, NativeSchema } from './agents/agent-provider.ts';
import type { NormalizedRunOptions } from './normalize-run-options.ts';
import type { AgentTurn } from './run-agent-turn.ts';

/** Finds the answer of one turn. */
export interface AnswerFinder {
  /** Accepts the agent's text as it arrives. */
  push(text: string): void;
  /** Returns the partial answer. Undefined if the route has no preview. */
  partial(): { readonly value: unknown } | undefined;
  /** The MCP server whose tool receives the answer. */
  readonly mcpServer?: McpServerCommand;
  /** Resolves after the tool has accepted an answer. */
  readonly answered?: Promise<void>;
  /** Returns true if the agent is waiting for the validation of an answer. */
  isAwaited?(): boolean;
  /** True if the caller's check has validated the answer too. */
  readonly isChecked?: boolean;
  /**
   * Validates the turn's answer. `turn` is undefined if the process failed and only its text
   * exists.
   */
  finish(turn: AgentTurn | undefined): Promise<SafeExtractResult<unknown>>;
}

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
        return safeValidateAnswer(turn.endValue, output, {
          route: 'native',
          raw: JSON.stringify(turn.endValue),
          isParsedElsewhere: true,
          inverse,
        });
      }
      if (!answersInText) return { success: false, error: notProducedError(output) };
      return safeParseAnswer(turn.resultText, output, { route: 'native', inverse });
    },
  };
}
