/** Answer of a step on the wire: its text or refusal, and the calls for the caller. Pure. */
import type { StepReply } from '../../models/step-request.ts';
import { wireFinishReason, type WireAnswer, type WireOutcome } from '../wire/wire-answer.ts';

/** Returns the answer. A filtered reply without a call is a refusal. */
export function stepAnswer(
  { finishReason }: Pick<StepReply, 'finishReason'>,
  { text, calls, usage, reasoning }: Pick<WireAnswer, 'text' | 'calls' | 'usage' | 'reasoning'>,
): WireOutcome {
  const isRefusal = finishReason === 'content_filter' && calls.length === 0 && text !== '';
  return {
    type: 'answered',
    ...(isRefusal ? { text: '', refusal: text } : { text }),
    calls,
    finishReason: wireFinishReason(finishReason, calls.length > 0),
    usage,
    ...(reasoning !== undefined && { reasoning }),
  };
}
