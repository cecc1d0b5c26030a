/** Owns what can be wrong with a text as a whole: JSON inside of a string, JSON without its braces, JSON that nobody should speak. Pure. */

/** An object or array that was begun, whether or not it can be read. */
const BEGUN_OBJECT = /\{\s*(?:\\?["'`“”„‘]|[A-Za-z_]\w{0,60}["']?\s*:)/u;
const BEGUN_FIELD = /["'“”`](?:kind|text)["'“”`]\s*:/u;
const WITHOUT_BRACES = /^["'“](?:kind|text)["'”]\s*:/u;
const ESCAPED = /\{\s*(?:\\n\s*)?\\"/u;

/** Tells whether a text is, or holds, JSON, also broken: nothing that an agent could have meant to say. */
export function looksLikeJson(text: string): boolean {
  const isEnclosed = /^[{[]/u.test(text) && /[}\]]$/u.test(text);
  return isEnclosed || BEGUN_OBJECT.test(text) || BEGUN_FIELD.test(text) || /^(?:[{[]|\[\s*["{])/u.test(text);
}

/** Returns the JSON value of a text, or `undefined` when it is not JSON. */
export function parseWhole(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns what a JSON string holds, or what text with JSON's escapes left in it stands for. */
export function withoutStringAround(text: string): string | undefined {
  const value = parseWhole(text) ?? (ESCAPED.test(text) ? parseWhole(`"${text}"`) : undefined);
  return typeof value === 'string' ? value.trim() : undefined;
}

/** Returns fields that stand without braces, with them. */
export function withBraces(text: string): string | undefined {
  if (!WITHOUT_BRACES.test(text)) return undefined;
  return `{${text.endsWith('}') ? text : `${text}}`}`;
}

/** Returns the text without the closing fence at its end, which would hide that an object was cut off. */
export function withoutTrailingFence(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '`') end -= 1;
  return text.length - end < 3 ? text : text.slice(0, end).trimEnd();
}
