/** Renders a model's value in a violation, with bounded work for any size or depth. Pure. */
import { describeValue, MAX_SHOWN_CHARS } from '../errors/base/describe-value.ts';

/** Renders a scalar, or only the type of an object or array. */
export function showGot(value: unknown): string {
  if (typeof value === 'string') return describeValue(value.slice(0, MAX_SHOWN_CHARS));
  if (Array.isArray(value)) return `\`[${value.length === 0 ? '' : '…'}]\` (array)`;
  return typeof value === 'object' && value !== null ? '`{…}` (object)' : describeValue(value);
}
