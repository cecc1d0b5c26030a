/** Repeated results of a turn: calls that had the same result before, and steps that only repeat. Pure. */
import { startRepetitions } from '@truecast/core/internal/output/finalizer/answer-loop';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { ToolCallPart, ToolResultPart } from '@truecast/client/internal/wire/message-parts';
import type { MessageRow } from '../contract/rows.ts';
import { callsOf, resultsOf, stepsOf } from '../contract/turn-rows.ts';

/** Results of calls that already had the same result twice in this turn. */
export function repeatedResults(turn: readonly MessageRow[]): ReadonlySet<ToolResultPart> {
  return new Set(countedSteps(turn).flatMap((results) => results.flatMap(repeatedPart)));
}

/** Counts the latest steps whose results all repeat earlier ones. A submission of the answer repeats none. */
export function repeatStreak(turn: readonly MessageRow[]): number {
  const steps = countedSteps(turn);
  const isRepeated = (step: CountedStep): boolean =>
    step.length > 0 && step.every((counted) => counted.isRepeated);
  return steps.length - 1 - steps.findLastIndex((step) => !isRepeated(step));
}

/** Results of one step. */
type CountedStep = readonly CountedResult[];

interface CountedResult {
  readonly part: ToolResultPart;
  readonly isRepeated: boolean;
}

function countedSteps(turn: readonly MessageRow[]): readonly CountedStep[] {
  const isRepetition = startRepetitions();
  return stepsOf(turn).map((step) => {
    const calls = callsOf(step.parts).filter(({ tool_name }) => tool_name !== FINALIZER_NAME);
    if (calls.length === 0) return [];
    return resultsOf(step, turn).map((part) => {
      const args = callOf(part, calls)?.args ?? '';
      const result = JSON.stringify(part.result);
      return { part, isRepeated: isRepetition({ name: part.tool_name, args, result }) };
    });
  });
}

function repeatedPart({ part, isRepeated }: CountedResult): readonly ToolResultPart[] {
  return isRepeated ? [part] : [];
}

function callOf({ tool_call_id }: ToolResultPart, calls: readonly ToolCallPart[]): ToolCallPart | undefined {
  return calls.find((call) => call.tool_call_id === tool_call_id);
}
