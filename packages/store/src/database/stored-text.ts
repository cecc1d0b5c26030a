/**
 * String encoding for databases: every JSON string survives in both.
 *
 * Postgres rejects NUL, and a lone surrogate has no UTF-8 form. Both are encoded as DLE and four
 * hexadecimal digits, as is DLE itself. JSON text contains none of the three, so it is stored
 * unchanged. Two strings are equal if and only if their stored forms are equal.
 */

const NUL = String.fromCharCode(0x00);
const ESCAPE = String.fromCharCode(0x10);
// With the `u` flag a surrogate matches only if it is unpaired.
const UNSTORABLE = new RegExp(`[${NUL}${ESCAPE}\\uD800-\\uDFFF]`, 'gu');
const ESCAPED = new RegExp(`${ESCAPE}([0-9a-f]{4})`, 'gu');

/** Encodes a string for storage. */
export function toStoredText(text: string): string {
  return text.replace(
    UNSTORABLE,
    (character) => ESCAPE + character.charCodeAt(0).toString(16).padStart(4, '0'),
  );
}

/** Decodes a string from storage. */
export function fromStoredText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored.replace(ESCAPED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** Encodes the strings among a statement's parameters. */
export function toStoredParameters(parameters: readonly unknown[]): unknown[] {
  return parameters.map((parameter) => (typeof parameter === 'string' ? toStoredText(parameter) : parameter));
}

/** Decodes the strings of a database row. */
export function fromStoredRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.keys(row);
  return fromStoredValues(
    names,
    names.map((name) => row[name]),
  );
}

/** Decodes a row given as column names and values. */
export function fromStoredValues(
  names: readonly string[],
  values: readonly unknown[],
): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  // A loop, because whole histories are read this way, and creating pairs of all columns would take
  // most of the time.
  for (const [index, name] of names.entries()) {
    const value = values[index];
    given[name] = typeof value === 'string' ? fromStoredText(value) : value;
  }
  return given;
}
