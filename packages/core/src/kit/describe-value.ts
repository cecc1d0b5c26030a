/** Formats an unexpected value for an error message: short, on one line, with its type. Pure. */

/**
 * Maximum length of a value in a message, in UTF-16 units: enough to recognize it, too little to
 * flood a log.
 */
export const MAX_SHOWN_CHARS = 200;

/** Truncates to at least one UTF-16 unit with an ellipsis, never inside a surrogate pair. */
export function clip(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars - 1).replace(/[\uD800-\uDBFF]$/u, '')}…` : text;
}

/**
 * Returns `text` on one line, truncated to `maxChars` UTF-16 units with an ellipsis. Line breaks,
 * control characters and bidirectional controls become spaces, because terminals interpret them.
 */
export function cut(text: string, maxChars: number = MAX_SHOWN_CHARS): string {
  return clip(text, maxChars).replaceAll(/[\s\p{Cc}\p{Bidi_C}]+/gu, ' ');
}

/**
 * Formats a value as `` `-1` (number) ``.
 *
 * @example
 * ```ts
 * throw new UsageError(`Expected \`maxCorrections\` to be a non-negative integer, got ${describeValue(value)}.`);
 * ```
 */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return `\`${String(value)}\``;
  return `\`${cut(show(value))}\` (${Array.isArray(value) ? 'array' : typeof value})`;
}

function show(value: unknown): string {
  if (typeof value === 'function') return value.name === '' ? 'anonymous function' : value.name;
  if (typeof value === 'symbol' || typeof value === 'bigint' || typeof value === 'number') {
    return String(value);
  }
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    // The value is circular or has a throwing getter. Its type alone still helps the caller.
    return Object.prototype.toString.call(value);
  }
}
