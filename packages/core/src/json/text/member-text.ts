/**
 * Member lookup in JSON text, unchanged. Parsing and serializing would lose digits of numbers and
 * duplicate keys. Pure.
 */
import { unquote, walkJson } from './walk-json.ts';

/**
 * Returns the text of the member at `path`, or undefined. If keys are duplicated, the last one
 * counts, as in `JSON.parse`.
 *
 * @param text - well-formed JSON
 */
export function memberText(text: string, path: readonly string[]): string | undefined {
  const keys: string[] = [];
  let start: number | undefined;
  let found: string | undefined;
  walkJson(text, {
    key(token, depth) {
      // Deeper keys belong to a sibling that has ended.
      keys.length = depth - 1;
      keys.push(unquote(token));
      return undefined;
    },
    value(_token, depth, at) {
      const isThere = depth === path.length && path.every((key, index) => keys[index] === key);
      if (isThere) start = at;
      return undefined;
    },
    ended(end, depth) {
      if (depth !== path.length || start === undefined) return;
      found = text.slice(start, end);
      start = undefined;
    },
  });
  return found;
}
