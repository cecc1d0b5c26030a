/** Fence removal: unwraps a value from a single Markdown fence around it. Pure. */
import { INFO, isWordCharacter, MIN_FENCE_CHARS } from '../scan/json-reader.ts';

/**
 * Returns the content of a fence if the whole `text` is one, else `text`. Both are trimmed.
 *
 * A fence has three or more backticks, optionally `json` in any case, and a closing fence that is
 * at least as long. Newlines are optional. Linear.
 */
export function unwrapFence(text: string): string {
  const whole = text.trim();
  const opening = countBackticks(whole, 0, 1);
  const closing = countBackticks(whole, whole.length - 1, -1);
  if (opening < MIN_FENCE_CHARS || closing < opening || opening + closing > whole.length) return whole;
  const inside = whole.slice(opening, whole.length - closing);
  if (inside.slice(0, INFO.length).toLowerCase() !== INFO) return inside.trim();
  // A longer word, such as `json5`, is another language.
  return isWordCharacter(inside.charAt(INFO.length)) ? whole : inside.slice(INFO.length).trim();
}

function countBackticks(text: string, from: number, step: 1 | -1): number {
  let count = 0;
  while (text.charAt(from + count * step) === '`') count += 1;
  return count;
}
