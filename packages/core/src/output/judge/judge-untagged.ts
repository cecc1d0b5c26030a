/** Judge of a text without tags: the whole of it, or the one JSON value that it contains. Pure. */
import { isLongerThan } from '../json/utf8-length.ts';
import { labels, refuse, type JudgeRules, type Judging } from './judged.ts';
import { judgeText } from './judge-written.ts';

/** Label of an answer that was found in a longer text. */
const FOUND_IN_TEXT = 'found-in-text';

/**
 * Judges a text. The value in it reaches from the first bracket to the last one, so of two values
 * neither is taken.
 *
 * @yields each value to validate
 */
export function* judgeUntagged(text: string, rules: JudgeRules): Judging {
  const { maxBytes = Number.POSITIVE_INFINITY, words } = rules;
  const isLong = isLongerThan(text, maxBytes);
  const whole = isLong ? refuse('too-large', text) : yield* judgeText(text, rules);
  const isNoJson = whole.type === 'refused' && (isLong || whole.code === 'invalid-json');
  if (!isNoJson || words !== undefined) return whole;
  const value = valueIn(text);
  if (value === undefined) return { type: 'no-answer', reason: 'no-json' };
  if (value === text.trim()) return whole;
  if (isLongerThan(value, maxBytes)) return refuse('too-large', text);
  return yield* judgeText(value, { ...rules, repairs: labels(FOUND_IN_TEXT) });
}

function valueIn(text: string): string | undefined {
  const start = text.search(/[[{]/u);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1;
  return start === -1 || end <= start ? undefined : text.slice(start, end);
}
