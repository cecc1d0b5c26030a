/** Records of a lenient parse, and the text that a failed call carries. Pure. */
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
  tier,
  repairs,
  violations,
  requestedKind,
}: ParsedAgentOutput): Pick<EventProvenance, 'tier' | 'repairs' | 'violations' | 'requestedKind'> {
  return {
    tier,
    ...(repairs.length > 0 && { repairs }),
    ...(violations.length > 0 && { violations }),
    ...(requestedKind !== undefined && { requestedKind }),
  };
}

/** The text that a failed call received, if its error carries it. */
export function receivedIn(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('receivedText' in error)) return undefined;
  return typeof error.receivedText === 'string' ? error.receivedText : undefined;
}

/** Attempts of a failed call. A provider that does not report them made one. */
export function triesIn(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('attempts' in error)) return 1;
  return Array.isArray(error.attempts) ? error.attempts.length : 1;
}

/** The text form of a value, if it has one. */
export function jsonFormOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
