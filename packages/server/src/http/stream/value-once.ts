/** Committed events with each validated value once: in its receipt, as `value_text`. Pure. */
import type { MessagePart } from '@truecast/client/internal/wire/message-parts';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { DurableEvent } from '@truecast/client/internal/wire/stream-event';

/** Arguments of an accepted submission whose value is in the receipt. */
const NO_ARGS = '{}';

/**
 * Returns the events without copies of validated values.
 *
 * An accepted submission has empty arguments, and its result is null. The receipt has no `value`,
 * because it equals the parsed `value_text`. Rejected submissions are unchanged, because no receipt
 * contains them.
 */
export function valuesOnce(events: readonly DurableEvent[]): readonly DurableEvent[] {
  return events.map((event, index) => {
    if (event.type === 'receipt') return withoutValue(event);
    if (event.type !== 'message') return event;
    const accepted = acceptedIds(events.slice(index + 1));
    const content = event.message.content.map((part) => withoutCopies(part, accepted));
    return { ...event, message: { ...event.message, content } };
  });
}

function withoutValue(event: Extract<DurableEvent, { readonly type: 'receipt' }>): DurableEvent {
  const { value: _value, ...receipt } = event.receipt;
  return receipt.value_text === undefined ? event : { ...event, receipt };
}

/**
 * Returns the ids of accepted calls, read from the next message, because providers reuse an id in a
 * later step.
 */
function acceptedIds(following: readonly DurableEvent[]): ReadonlySet<string> {
  const next = following.find((event) => event.type === 'message');
  const parts = next?.message.content ?? [];
  return new Set(parts.flatMap((part) => (isAccepted(part) ? [part.tool_call_id] : [])));
}

function withoutCopies(part: MessagePart, accepted: ReadonlySet<string>): MessagePart {
  if (part.type === 'tool_call' && part.tool_name === FINALIZER_NAME && accepted.has(part.tool_call_id)) {
    return { ...part, args: NO_ARGS };
  }
  if (!isAccepted(part)) return part;
  const { result_text: _text, ...rest } = part;
  return { ...rest, result: null };
}

function isAccepted(part: MessagePart): part is Extract<MessagePart, { readonly type: 'tool_result' }> {
  const isResult = part.type === 'tool_result' && part.tool_name === FINALIZER_NAME && !part.is_error;
  return isResult && part.result_text !== undefined;
}
