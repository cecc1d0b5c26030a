/** Owns the results of calls that nothing will answer any more. Pure. */
import { parseJson } from '../../output/parse-json.ts';
import type { MessagePart, SyntheticReason, ToolCallPart, ToolResultPart } from '../contract/parts.ts';
import type { MessageRow } from '../contract/rows.ts';
import { currentTurn, stepsOf, unansweredCalls } from '../contract/turn-rows.ts';

/** Why a call stays without an answer of its tool. */
export type UnansweredReason = Exclude<SyntheticReason, 'not-run' | 'rejected'>;

const TEXTS: Readonly<Record<UnansweredReason, string>> = {
  interrupted: 'The turn was interrupted before this call had a result.',
  canceled: 'This call was canceled: the conversation went on without its result.',
  deadline: 'No result of this call came in time.',
  unknown:
    'Whether this call was carried out is not known: the server stopped while it ran. Look at its effects before you call it again.',
};

/** Makes the results of all calls of the current turn that have none. A call that the provider runs gets none: it would refuse one. */
export function syntheticResults(
  rows: readonly MessageRow[],
  reason: UnansweredReason,
): readonly ToolResultPart[] {
  const turn = currentTurn(rows) ?? [];
  const step = stepsOf(turn).at(-1);
  return step === undefined ? [] : unansweredCalls(step, turn).map((call) => syntheticResult(call, reason));
}

/** Makes the result of one call that has none. */
export function syntheticResult(
  { tool_call_id, tool_name }: Pick<ToolCallPart, 'tool_call_id' | 'tool_name'>,
  reason: UnansweredReason,
): ToolResultPart {
  return {
    type: 'tool-result',
    tool_call_id,
    tool_name,
    result: TEXTS[reason],
    is_error: true,
    synthetic: reason,
  };
}

/** Returns what is kept of a step that was stopped: all that was streamed, without calls whose arguments are not whole. */
export function keepInterrupted(parts: readonly MessagePart[]): readonly MessagePart[] {
  return parts.filter(
    (part) => part.type !== 'tool-call' || parseJson(part.args === '' ? '{}' : part.args).success,
  );
}
