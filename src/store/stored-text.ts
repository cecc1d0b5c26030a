/**
 * Owns the form in which strings stand in a database: every string that JSON can carry survives in both.
 *
 * Postgres refuses NUL, and a lone surrogate has no UTF-8 form: both stand as DLE and four hexadecimal digits, and so does DLE itself.
 * JSON text holds none of the three, so it stands as it is. Two strings are equal exactly when their stored forms are.
 */

const NUL = String.fromCharCode(0x00);
const ESCAPE = String.fromCharCode(0x10);
// With the `u` flag a surrogate matches only when it stands alone.
const UNSTORABLE = new RegExp(`[${NUL}${ESCAPE}\\uD800-\\uDFFF]`, 'gu');
const ESCAPED = new RegExp(`${ESCAPE}([0-9a-f]{4})`, 'gu');

/** Gives the form in which `text` is stored. */
export function toStoredText(text: string): string {
  return text.replace(
    UNSTORABLE,
    (character) => ESCAPE + character.charCodeAt(0).toString(16).padStart(4, '0'),
  );
}

/** Gives back the text that `toStoredText` was given. */
export function fromStoredText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored.replace(ESCAPED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** Gives the parameters of a statement with their strings in stored form. */
export function toStoredParameters(parameters: readonly unknown[]): unknown[] {
  return parameters.map((parameter) => (typeof parameter === 'string' ? toStoredText(parameter) : parameter));
}

/** Gives a row of a database with its strings as they were before they were stored. */
export function fromStoredRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.keys(row);
  return fromStoredValues(
    names,
    names.map((name) => row[name]),
  );
}

/** The same for a row that is given as the names of its columns and their values. */
export function fromStoredValues(
  names: readonly string[],
  values: readonly unknown[],
): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  // Whole histories are read so: pairs of all columns would be most of the time.
  for (const [index, name] of names.entries()) {
    const value = values[index];
    given[name] = typeof value === 'string' ? fromStoredText(value) : value;
  }
  return given;
}
