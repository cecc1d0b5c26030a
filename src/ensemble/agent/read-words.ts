/** Owns the tolerant reading of what a model said, and what a failed call leaves to read. Pure. */
import type { EventContractOptions } from '../contract/event-options.ts';
import type { ParsedAgentOutput } from '../contract/event-result.ts';
import { parseAgentOutput } from '../contract/parse-agent-output.ts';
import type { EventProvenance } from '../ledger/ledger-event.ts';

/** Reads words as an event of the contract, with no fields beside its own. */
export function readWords(
  text: string,
  { allowedKinds, extraFields = [] }: EventContractOptions,
): ParsedAgentOutput {
  return parseAgentOutput(text, { allowedKinds, fallbackKind: allowedKinds[0] ?? '', extraFields });
}

/** Tells whether anything was said. */
export function isUsable({ payload }: ParsedAgentOutput): boolean {
  return payload.text !== '';
}

/** How words were read; only what is not empty, so that an answer which came as it was asked for says no more than that. */
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

/** The text that a failed call received, where its error tells. */
export function receivedIn(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('receivedText' in error)) return undefined;
  return typeof error.receivedText === 'string' ? error.receivedText : undefined;
}

/** Tries that a failed call has made; a provider that does not tell made one. */
export function triesIn(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('attempts' in error)) return 1;
  return Array.isArray(error.attempts) ? error.attempts.length : 1;
}

/** A value as the text that it came in, if it can have come in one. */
export function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
