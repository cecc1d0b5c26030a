/**
 * Lenient judge: the one value in a longer text that fits, with labelled repairs. Only used if the
 * caller asked for it. Pure.
 */
import { canonicalJson } from '../../schema/canonical-json.ts';
import { contentsOf, isWellFormed, type LenientCandidate } from '../candidates/lenient-candidates.ts';
import { findInexact } from '../../json/text/find-inexact.ts';
import { judgeWritten } from './judge-written.ts';
import { parseJson } from '../../json/parse-json.ts';
import {
  labels,
  refuse,
  type Judged,
  type JudgeRules,
  type Judging,
  type WrittenAnswer,
  contentOf,
  valueIn,
} from './judged.ts';
import { isRefusal, readWritten } from './read-text.ts';

/** Label of an answer that was found in a longer text. */
export const FOUND_IN_TEXT = 'found-in-text';

/** More candidates than a reply with one answer has. */
const MAX_CANDIDATES = 200;

/** A text, and the strict verdict on it. */
export interface StrictlyJudged {
  readonly text: string;
  readonly strict: Judged;
  /** True for the arguments of a call, in which the answer has an envelope. */
  readonly isCall: boolean;
}

/**
 * Judges a text that is not an answer as a whole. Returns the strict refusal if nothing fits, and
 * `ambiguous` if several different values do.
 *
 * @yields each value to validate
 */
export function* judgeLeniently({ text, strict, isCall }: StrictlyJudged, rules: JudgeRules): Judging {
  const candidates = rules.reader?.(withoutOwnText(text, rules)) ?? [];
  let last: Extract<Judged, { readonly type: 'accepted' }> | undefined;
  const different = new Set<string>();
  for (const candidate of candidates.length > MAX_CANDIDATES ? [] : candidates) {
    const judged = yield* judgeCandidate(isCall ? withoutEnvelope(candidate) : candidate, rules);
    if (judged.type !== 'accepted') continue;
    last = judged;
    different.add(identityOf(judged));
  }
  if (last === undefined) return strict;
  if (different.size > 1) {
    return refuse('ambiguous', text, { reason: `${different.size} different answers fit` });
  }
  // The provenance shows the whole text that was received.
  return { ...last, raw: text };
}

/**
 * Judges a candidate, then the contents of the wrapper.
 *
 * @yields each value to validate
 */
function* judgeCandidate(candidate: LenientCandidate, rules: JudgeRules): Judging {
  const outer = yield* judgeOne(candidate, rules);
  // An object that was refused for its keys or numbers is not a wrapper.
  if (outer.type !== 'refused' || outer.code !== 'schema-mismatch') return outer;
  for (const content of contentsOf(candidate)) {
    const inner = yield* judgeOne(content, rules);
    if (inner.type === 'accepted') return inner;
  }
  return outer;
}

function* judgeOne(candidate: LenientCandidate, rules: JudgeRules): Judging {
  const { raw, value } = candidate;
  const repairs = [...(rules.repairs ?? []), ...labels(FOUND_IN_TEXT, ...candidate.repairs)];
  const read = isWellFormed(candidate)
    ? readWritten(raw, rules)
    : { value, text: raw, isParsedElsewhere: true };
  return isRefusal(read) ? read : yield* judgeWritten({ ...read, repairs }, raw, rules);
}

/** Takes the answer out of the envelope of a call's arguments. */
function withoutEnvelope(candidate: LenientCandidate): LenientCandidate {
  const { value, raw, repairs } = candidate;
  if (!isWellFormed(candidate)) {
    const inner = valueIn(value);
    return inner === undefined ? candidate : { value: inner, raw: JSON.stringify(inner), repairs };
  }
  const held = findInexact(raw, value)?.kind === 'doubled-key' ? undefined : contentOf({ value, text: raw });
  return held === undefined ? candidate : { value: held.value, raw: held.text, repairs };
}

/** Text that repeats the prompt is not an answer. A short text can occur by chance. */
function withoutOwnText(text: string, { ownTexts }: JudgeRules): string {
  const repeated = (ownTexts?.() ?? []).filter((own) => own.length >= MIN_OWN_CHARS);
  return repeated.reduce((rest, own) => rest.replaceAll(own, '\n'), text);
}

const MIN_OWN_CHARS = 32;

/** Returns equal texts for JSON texts of equal values. */
export function textIdentity(text: string): string {
  const parsed = parseJson(text);
  return parsed.success ? identityOf({ value: parsed.value, text }) : text;
}

/** Returns equal texts for equal values. */
function identityOf({ value, text }: WrittenAnswer): string {
  try {
    return canonicalJson(value);
  } catch {
    // A transformed value need not be JSON, and a value can be nested too deeply.
  }
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // One without JSON, such as a `BigInt`, is known by its text in the reply.
    return textIdentity(text);
  }
}
