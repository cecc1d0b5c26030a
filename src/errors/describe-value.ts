/** Owns how a value that was not expected is shown in a message: short, one line, with its type. Pure. */

/** The most of a value that a message shows, in UTF-16 units: enough to recognize it, too little to flood a log. */
export const MAX_SHOWN_CHARS = 200;

/** Returns `text` on one line, cut to `maxChars` UTF-16 units with an ellipsis. */
export function cut(text: string, maxChars: number = MAX_SHOWN_CHARS): string {
  const line = text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
  return line.replaceAll(/\s+/gu, ' ');
}

/**
 * Shows a value as `` `-1` (number) ``.
 *
 * @example
 * ```ts
 * throw new UsageError(`Expected \`maxRetries\` to be a non-negative integer, got ${describeValue(value)}.`);
 * ```
 */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return `\`${String(value)}\``;
  return `\`${cut(show(value))}\` (${Array.isArray(value) ? 'array' : typeof value})`;
}

function show(value: unknown): string {
  if (typeof value === 'function') return value.name === '' ? 'anonymous function' : value.name;
  if (typeof value === 'symbol' || typeof value === 'bigint' || typeof value === 'number')
    return String(value);
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    // Circular or with a throwing getter: its type alone still tells the caller where to look.
    return Object.prototype.toString.call(value);
  }
}
