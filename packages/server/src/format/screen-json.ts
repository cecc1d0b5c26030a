/**
 * Finds faults in JSON text that its parsed value hides: duplicate keys, unpaired surrogates, and
 * numbers that parsing changes. Pure.
 */
import { reportFaults, type InexactPart } from '@truecast/core/internal/json/text/find-inexact';

/** A fault of the text. Only that of a number has a message of its own. */
export type ScreenedFault = Pick<InexactPart, 'kind' | 'path'> & Partial<Pick<InexactPart, 'message'>>;

/** Maximum reported faults, and maximum reported integers. */
const MAX_FAULTS = 20;

/** Returns the faults of a well-formed JSON text, in order. */
export function screenJson(text: string): readonly ScreenedFault[] {
  const faults: ScreenedFault[] = [];
  const counts = { integer: 0, other: 0 };
  reportFaults(text, ({ kind, path, message }) => {
    // Callers can accept integers, so that these must not hide other faults.
    const counted = kind === 'integer' ? 'integer' : 'other';
    counts[counted] += 1;
    const isNumber = kind === 'integer' || kind === 'out-of-range';
    if (counts[counted] <= MAX_FAULTS) faults.push({ kind, path, ...(isNumber && { message }) });
    return counts.other > MAX_FAULTS;
  });
  return faults;
}
