/**
 * Batch planning: which calls of a step run, and which are refused because of an exclusive tool.
 * Pure.
 */
import { siblingText } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { ToolCallPart, ToolResultPart } from '@truecast/client/internal/wire/message-parts';
import type { MessageRow } from '../contract/rows.ts';
import type { ToolFacts } from '../contract/tools.ts';
import { notAloneText } from '../finalizer/rejection-texts.ts';
import { callsOf } from '../contract/turn-rows.ts';

/** Plan for the unanswered calls of a step. */
export interface BatchPlan {
  /** Calls to run here. */
  readonly calls: readonly ToolCallPart[];
  /** Results of calls that do not run. */
  readonly refused: readonly ToolResultPart[];
  /** Calls for the client, after all others are answered. */
  readonly dynamic: readonly ToolCallPart[];
}

/**
 * Plans a batch. If an exclusive call has any other call next to it, even a provider-executed one,
 * no call of the batch runs here or at the client.
 */
export function planBatch(
  step: MessageRow,
  unanswered: readonly ToolCallPart[],
  tools: ReadonlyMap<string, ToolFacts>,
): BatchPlan {
  const all = callsOf(step.parts);
  const exclusive = all.find(
    ({ tool_name, provider_executed }) =>
      provider_executed !== true && tools.get(tool_name)?.isExclusive === true,
  );
  if (exclusive !== undefined && all.length > 1) {
    const refused = unanswered.map((call) =>
      refuse(call, exclusive.tool_name, tools.get(call.tool_name)?.isExclusive === true),
    );
    return { calls: [], refused, dynamic: [] };
  }
  const isDynamic = ({ tool_name }: ToolCallPart): boolean => tools.get(tool_name)?.kind === 'dynamic';
  return {
    calls: unanswered.filter((call) => !isDynamic(call)),
    refused: [],
    dynamic: unanswered.filter(isDynamic),
  };
}

function refuse(
  { tool_call_id, tool_name }: ToolCallPart,
  exclusiveName: string,
  isExclusive: boolean,
): ToolResultPart {
  const result = isExclusive ? notAloneText(tool_name) : siblingText(exclusiveName);
  return { type: 'tool_result', tool_call_id, tool_name, result, is_error: true, synthetic: 'not_run' };
}
