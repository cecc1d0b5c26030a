/** Opening tags in a transcript whose text was not taken as an attempt, each with the reason. Pure. */
import type { RunAttempt } from '@truecast/client/internal/wire/run';
import type { Span } from '../value/answer-positions.ts';

/** Text that looked like the answer. */
export interface RejectedCandidate extends Span {
  readonly reason: string;
}

/** Maximum number of marks. More would make a transcript unreadable. */
const MAX_CANDIDATES = 50;

/** Returns the candidates in order. Empty without a tag, because the answer was then not text. */
export function rejectedCandidates(
  text: string,
  tag: string | undefined,
  attempts: readonly RunAttempt[],
): readonly RejectedCandidate[] {
  if (tag === undefined) return [];
  const open = `<${tag}>`;
  const found: RejectedCandidate[] = [];
  for (let at = text.indexOf(open); at !== -1; at = text.indexOf(open, at + open.length)) {
    if (found.length === MAX_CANDIDATES) break;
    const from = at + open.length;
    const isAttempt = attempts.some(
      ({ span }) =>
        span !== undefined && at < span.end && text.slice(from, Math.max(from, span.start)).trim() === '',
    );
    if (!isAttempt) found.push(judge(text, tag, { start: at, end: from }));
  }
  return found;
}

function judge(text: string, tag: string, opening: Span): RejectedCandidate {
  const { end: from } = opening;
  const close = text.indexOf(`</${tag}>`, from);
  const next = text.indexOf(`<${tag}>`, from);
  const isClosed = close !== -1 && (next === -1 || close < next);
  const inner = isClosed ? text.slice(from, close).trim() : '';
  if (isClosed) {
    const reason = isJson(inner) ? 'a later one was taken' : 'not JSON';
    return { start: from, end: Math.max(close, from + 1), reason };
  }
  const reason = /^\s*["[{\d-]/u.test(text.slice(from)) ? 'not closed' : 'in prose';
  return { ...opening, reason };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
