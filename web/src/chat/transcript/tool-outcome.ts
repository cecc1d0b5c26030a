/** Outcome of a tool call in a few words. Pure. */
import type { MessagePart } from '@truecast/client';
import { byteSize, duration } from '../../parts/format.ts';

type ToolResultPart = Extract<MessagePart, { readonly type: 'tool_result' }>;

/** `returned 2.1 kB in 0.3 s`. Results of a client's tools have no time. */
export function outcomeOf(result: Omit<ToolResultPart, 'type'>): string {
  const { is_error: isError, started_at: startedAt = '', ended_at: endedAt = '' } = result;
  const ms = Date.parse(endedAt) - Date.parse(startedAt);
  const state = isError ? '× failed with' : 'returned';
  return `${state} ${byteSize(resultText(result))}${ms >= 0 ? ` in ${duration(ms)}` : ''}`;
}

export function resultText({ result }: Pick<ToolResultPart, 'result'>, indent?: number): string {
  return typeof result === 'string' ? result : JSON.stringify(result, undefined, indent);
}
