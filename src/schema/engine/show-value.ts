/** Owns how a message of a validation shows a value: in constant time, however large the value. Pure. */
import { describeKind } from './json-kind.ts';

/** The most of a string that is shown, in UTF-16 units. */
const MAX_STRING_CHARS = 60;
/** The most of a list that is shown. */
const MAX_LISTED = 20;

/** Shows a scalar as JSON, cut, and names what is larger. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > MAX_STRING_CHARS ? `${value.slice(0, MAX_STRING_CHARS)}…` : value);
  }
  return typeof value === 'object' && value !== null ? describeKind(value) : String(value);
}

/** Shows what was expected: one value, or one of a list. Values of our own schema are small, so that objects are shown too. */
export function showExpected(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_LISTED).map((value) => {
    if (typeof value !== 'object' || value === null) return showValue(value);
    const text = JSON.stringify(value);
    return text.length > MAX_STRING_CHARS ? `${text.slice(0, MAX_STRING_CHARS)}…` : text;
  });
  if (values.length > MAX_LISTED) shown.push(`… (${values.length} in all)`);
  return shown.length === 1 ? (shown[0] ?? '') : `one of ${shown.join(', ')}`;
}
