/** Owns finding a member of a JSON text as it was written: parsed and written again, numbers lose digits and doubled keys vanish. Pure. */
import { unquote, walkJson } from './walk-json.ts';

/**
 * Returns the text of the member at `path`, the last one where keys are doubled, as `JSON.parse` takes it; undefined where there is none.
 *
 * @param text - well-formed JSON
 */
export function memberText(text: string, path: readonly string[]): string | undefined {
  const keys: string[] = [];
  let start: number | undefined;
  let found: string | undefined;
  walkJson(text, {
    key(token, depth) {
      // What stood deeper belongs to a sibling that has ended.
      keys.length = depth - 1;
      keys.push(unquote(token));
      return undefined;
    },
    value(at, depth) {
      const isThere = depth === path.length && path.every((key, index) => keys[index] === key);
      if (isThere) start = at;
      return undefined;
    },
    string: () => undefined,
    ended(end, depth) {
      if (depth !== path.length || start === undefined) return;
      found = text.slice(start, end);
      start = undefined;
    },
  });
  return found;
}
