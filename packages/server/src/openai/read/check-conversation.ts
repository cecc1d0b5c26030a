/**
 * Conversation check: every tool call has its result directly after it, and every result has its
 * call. Pure.
 */
import type { ToolResultPart } from '@truecast/client/internal/wire/message-parts';
import { callsOf } from '../../contract/turn-rows.ts';
import { refused, type WireFailure } from '../wire/wire-failure.ts';
import type { WireMessage } from '../wire/wire-request.ts';

/** A conversation in which each result has its tool's name. */
export type CheckedConversation =
  | { readonly success: true; readonly messages: readonly WireMessage[] }
  | { readonly success: false; readonly failure: WireFailure };

/** Checks a conversation, merges adjacent results, and adds each result's tool name. */
export function checkConversation(messages: readonly WireMessage[]): CheckedConversation {
  const checked: WireMessage[] = [];
  const open = new Map<string, string>();
  let asked = '';
  for (const message of messages) {
    if (message.role === 'tool') {
      const failure = takeAnswers(message, open, checked);
      if (failure !== undefined) return { success: false, failure };
      continue;
    }
    if (open.size > 0) return { success: false, failure: unanswered(asked, open) };
    checked.push(message);
    asked = message.field;
    for (const { tool_call_id, tool_name } of callsOf(message.parts)) {
      if (open.has(tool_call_id)) return { success: false, failure: doubled(message.field) };
      open.set(tool_call_id, tool_name);
    }
  }
  if (open.size > 0) return { success: false, failure: unanswered(asked, open) };
  return { success: true, messages: checked };
}

function takeAnswers(
  message: WireMessage,
  open: Map<string, string>,
  checked: WireMessage[],
): WireFailure | undefined {
  const parts: ToolResultPart[] = [];
  for (const part of message.parts) {
    if (part.type !== 'tool_result') continue;
    const tool_name = open.get(part.tool_call_id);
    if (tool_name === undefined) {
      return refused(message.field, `\`${message.field}\`: Answers no call of the previous message.`);
    }
    open.delete(part.tool_call_id);
    parts.push({ ...part, tool_name });
  }
  const last = checked.at(-1);
  if (last?.role === 'tool') checked[checked.length - 1] = { ...last, parts: [...last.parts, ...parts] };
  else checked.push({ ...message, parts });
  return undefined;
}

function unanswered(field: string, open: ReadonlyMap<string, string>): WireFailure {
  return refused(
    field,
    `\`${field}\`: ${open.size} of its tool calls have no answer. Send the result of each right after it.`,
  );
}

function doubled(field: string): WireFailure {
  return refused(field, `\`${field}\`: Two of its tool calls have the same id.`);
}
