/** Renders values in validation messages, in constant time for any size. Pure. */
import { describeKind } from './json-kind.ts';

/** Maximum shown length of a string in UTF-16 units. */
const MAX_STRING_CHARS = 60;
/** Maximum shown length of a list. */
const MAX_LISTED = 20;

/** Renders a scalar as truncated JSON, and larger values by their kind. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > MAX_STRING_CHARS ? `${value.slice(0, MAX_STRING_CHARS)}…` : value);
  }
  return typeof value === 'object' && value !== null ? describeKind(value) : String(value);
}

/**
 * Renders the expectation: one value, or one of a list. Schema values are small, so objects are
 * shown too.
 */
export function showExpected(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_LISTED).map((value) => {
    if (typeof value !== 'object' || value === null) return showValue(value);
    const text = JSON.stringify(value);
    return text.length > MAX_STRING_CHARS ? `${text.slice(0, MAX_STRING_CHARS)}…` : text;
  });
  if (values.length > MAX_LISTED) shown.push(`… (${values.length} in all)`);
  return shown.length === 1 ? (shown[0] ?? '') : `one of ${shown.join(', ')}`;
}
