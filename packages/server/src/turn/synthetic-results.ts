/** Synthetic results for calls that no tool will answer. Pure. */
import type { Known } from '@truecast/core/internal/shape/shape';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import type {
  SyntheticReason,
  ToolCallPart,
  ToolResultPart,
} from '@truecast/client/internal/wire/message-parts';
import type { RowPart } from '../contract/rows.ts';

/** Reason why a call has no tool result. */
export type UnansweredReason = Exclude<Known<SyntheticReason>, 'not_run' | 'rejected'>;

const TEXTS: Readonly<Record<UnansweredReason, string>> = {
  interrupted: 'The turn was interrupted before this call had a result.',
  canceled: 'This call was canceled: the conversation continued without its result.',
  deadline: 'No result of this call came in time.',
  unknown: unknownText('the server stopped while it ran'),
};

const RUNNING_TEXTS: Readonly<Record<UnansweredReason, string>> = {
  interrupted: unknownText('the turn was interrupted while it ran'),
  canceled: unknownText('the conversation continued while it ran'),
  deadline: unknownText('it did not end in time'),
  unknown: TEXTS.unknown,
};

function unknownText(why: string): string {
  return `It is unknown whether this call was executed: ${why}. Check its effects before you call it again.`;
}

/** Creates the result of one unanswered call. */
export function syntheticResult(
  { tool_call_id, tool_name }: Pick<ToolCallPart, 'tool_call_id' | 'tool_name'>,
  reason: UnansweredReason,
): ToolResultPart {
  return {
    type: 'tool_result',
    tool_call_id,
    tool_name,
    result: TEXTS[reason],
    is_error: true,
    synthetic: reason,
  };
}

/** Creates the result of a call that runs when the turn ends: it can have had its effect. */
export function runningResult(
  call: Pick<ToolCallPart, 'tool_call_id' | 'tool_name'>,
  reason: UnansweredReason,
): ToolResultPart {
  return { ...syntheticResult(call, 'unknown'), result: RUNNING_TEXTS[reason] };
}

/**
 * Returns the kept part of an interrupted step: everything streamed, except calls with incomplete
 * arguments.
 */
export function keepInterrupted(parts: readonly RowPart[]): readonly RowPart[] {
  return parts.filter(
    (part) => part.type !== 'tool_call' || parseJson(part.args === '' ? '{}' : part.args).success,
  );
}
