/** Records of a lenient parse, and the text that a failed call carries. Pure. */
import { isRecord } from '@truecast/core/internal/errors/base/is-record';
import type { ParsedAgentOutput } from '@truecast/core/internal/event-contract/event-result';
import type { EventProvenance } from '../../ledger/ledger-event.ts';

/** Returns true if the text is not empty. */
export function isUsable({ payload }: ParsedAgentOutput): boolean {
  return payload.text !== '';
}

/**
 * Details of the parse. Empty details are left out, so that a clean answer reports nothing else.
 */
export function recordOf({
  payload: _payload,
  repairs,
  violations,
  ...rest
}: ParsedAgentOutput): Pick<EventProvenance, 'tier' | 'repairs' | 'violations' | 'requestedKind'> {
  return {
    ...rest,
    ...(repairs.length > 0 && { repairs }),
    ...(violations.length > 0 && { violations }),
  };
}

/** The text that a failed call received, and its attempts: one if its provider does not report them. */
export function receivedIn(error: unknown): { readonly text: string | undefined; readonly attempts: number } {
  const { receivedText, attempts } = isRecord(error) ? error : {};
  return {
    text: typeof receivedText === 'string' ? receivedText : undefined,
    attempts: Array.isArray(attempts) ? attempts.length : 1,
  };
}

/** The text form of a value, if it has one. */
export function jsonFormOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
