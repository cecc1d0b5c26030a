/** Owns how a value from a model is shown in a violation: in bounded work, however large or deep it is. Pure. */
import { describeValue, MAX_SHOWN_CHARS } from '../../errors/describe-value.ts';

/** Shows a scalar as it is, and of an object or array only what it is. */
export function showGot(value: unknown): string {
  if (typeof value === 'string') return describeValue(value.slice(0, MAX_SHOWN_CHARS));
  if (Array.isArray(value)) return `\`[${value.length === 0 ? '' : '…'}]\` (array)`;
  return typeof value === 'object' && value !== null ? '`{…}` (object)' : describeValue(value);
}
