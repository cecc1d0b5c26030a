/**
 * Repairs of a whole text: JSON inside a string, JSON without braces, JSON that must not be used as
 * speech. Pure.
 */
import { findJsonExcess } from '../json/json-bounds.ts';
import { jsonValueOf } from '../kit/json-value-of.ts';

/** The start of an object or array, parseable or not. */
const BEGUN_OBJECT = /\{\s*(?:\\?["'`“”„‘]|[A-Za-z_]\w{0,60}["']?\s*:)/u;
const QUOTED_NAME = /["'“”`](\w{1,60})["'“”`]\s*:/gu;
const FENCED_JSON = /^`{3,}\w{0,20}\s*[{[]/u;
const WITHOUT_BRACES = /^["'“](?:kind|text)["'”]\s*:/u;
/** A field of an event on its own line, as in YAML. It is not read, because its values are ambiguous. */
const YAML_KIND = /^\s*(?:-\s+)?["']?kind["']?\s*:\s*\S/mu;
const ESCAPED = /\{\s*(?:\\n\s*)?\\"/u;

/**
 * Returns true if a text is or contains JSON, even broken JSON: it cannot be meant as speech.
 *
 * @param names - names of the event's fields
 */
export function looksLikeJson(text: string, names: readonly string[]): boolean {
  if (/^[{[]/u.test(text) || FENCED_JSON.test(text) || BEGUN_OBJECT.test(text)) return true;
  if (YAML_KIND.test(text)) return true;
  return [...text.matchAll(QUOTED_NAME)].some(([, name = '']) => names.includes(name));
}

/** Returns the JSON value of a text, or `undefined` if it is not JSON, or would block the thread. */
export function parseWhole(text: string): unknown {
  return findJsonExcess(text) === undefined ? jsonValueOf(text) : undefined;
}

/** Returns the contents of a JSON string, or unescapes text with JSON escapes. */
export function withoutStringAround(text: string): string | undefined {
  const value = parseWhole(text) ?? (ESCAPED.test(text) ? parseWhole(`"${text}"`) : undefined);
  return typeof value === 'string' ? value.trim() : undefined;
}

/** Adds the missing braces to bare fields. */
export function withBraces(text: string): string | undefined {
  if (!WITHOUT_BRACES.test(text)) return undefined;
  return `{${text.endsWith('}') ? text : `${text}}`}`;
}

/** Removes a closing fence at the end, which would hide that an object was truncated. */
export function withoutTrailingFence(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '`') end -= 1;
  return text.length - end < 3 ? text : text.slice(0, end).trimEnd();
}
