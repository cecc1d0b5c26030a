/**
 * Lenient judge: the one value in a longer text that fits, with labelled repairs. Only used if the
 * caller asked for it. Pure.
 */
import { isRecord } from '../../errors/base/is-record.ts';
import { canonicalJson } from '../../schema/canonical-json.ts';
import {
  contentsOf,
  isWellFormed,
  type CandidateReader,
  type LenientCandidate,
} from '../candidates/lenient-candidates.ts';
import { labels, refuse, type Judged, type JudgeRules, type Judging } from './judged.ts';
import { readText } from './judge-text.ts';
import { judgeWritten } from './judge-written.ts';
import { findInexact } from '../../schema/json-text/find-inexact.ts';
import { memberText } from '../../schema/json-text/member-text.ts';
import { ENVELOPE_KEY } from './undo-envelopes.ts';

/** Label of an answer that was found in a longer text. */
export const FOUND_IN_TEXT = 'found-in-text';

/** More candidates than a reply with one answer has. */
const MAX_CANDIDATES = 200;

type Accepted = Extract<Judged, { readonly type: 'accepted' }>;

/** A text, and the strict verdict on it. */
export interface StrictlyJudged {
  readonly text: string;
  readonly strict: Judged;
  /** True for the arguments of a call, in which the answer has an envelope. */
  readonly isCall: boolean;
}

/**
 * Judges a text that is no answer as a whole. Returns the strict refusal if nothing fits, and
 * `ambiguous` if several different values do.
 *
 * @yields each value to validate
 */
export function* judgeLeniently(
  { text, strict, isCall }: StrictlyJudged,
  reader: CandidateReader,
  rules: JudgeRules,
): Judging {
  const candidates = reader(withoutOwnText(text, rules));
  const fitting: Accepted[] = [];
  for (const candidate of candidates.length > MAX_CANDIDATES ? [] : candidates) {
    const judged = yield* judgeCandidate(isCall ? contentOf(candidate) : candidate, rules);
    if (judged.type === 'accepted') fitting.push(judged);
  }
  const last = fitting.at(-1);
  if (last === undefined) return strict;
  // The provenance shows the whole text that was received.
  if (new Set(fitting.map(({ value }) => identityOf(value))).size === 1) return { ...last, raw: text };
  return refuse('ambiguous', text, { reason: `${fitting.length} different answers fit` });
}

/**
 * Judges a candidate, then the contents of its wrapper.
 *
 * @yields each value to validate
 */
function* judgeCandidate(candidate: LenientCandidate, rules: JudgeRules): Judging {
  const outer = yield* judgeOne(candidate, rules);
  // An object that was refused for its keys or numbers is no wrapper.
  if (outer.type !== 'refused' || outer.code !== 'schema-mismatch') return outer;
  for (const content of candidate.contents ?? []) {
    const inner = yield* judgeOne(content, rules);
    if (inner.type === 'accepted') return inner;
  }
  return outer;
}

function* judgeOne(candidate: LenientCandidate, rules: JudgeRules): Judging {
  const { raw, value, repairs } = candidate;
  const found = { ...rules, repairs: [...(rules.repairs ?? []), ...labels(FOUND_IN_TEXT, ...repairs)] };
  const read = isWellFormed(candidate) ? readText(raw, found) : undefined;
  if (read?.type === 'refused') return read;
  const answer = read?.answer ?? { value, text: raw, repairs: found.repairs, isParsedElsewhere: true };
  return yield* judgeWritten(answer, raw, found);
}

/** Takes the answer out of the envelope of a call's arguments. */
function contentOf(candidate: LenientCandidate): LenientCandidate {
  const { value, repairs } = candidate;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, ENVELOPE_KEY)) return candidate;
  if (isWellFormed(candidate) && findInexact(candidate.raw, value)?.kind === 'doubled-key') return candidate;
  const held: unknown = Reflect.get(value, ENVELOPE_KEY);
  const text = isWellFormed(candidate) ? memberText(candidate.raw, [ENVELOPE_KEY]) : undefined;
  if (text === undefined) return { value: held, raw: JSON.stringify(held), repairs };
  return { value: held, raw: text, repairs, contents: isRecord(held) ? contentsOf(held, text) : [] };
}

/** What the model repeats of the prompt is not its answer. A short text can occur by chance. */
function withoutOwnText(text: string, { ownTexts }: JudgeRules): string {
  const repeated = (ownTexts?.() ?? []).filter((own) => own.length >= MIN_OWN_CHARS);
  return repeated.reduce((rest, own) => rest.replaceAll(own, '\n'), text);
}

const MIN_OWN_CHARS = 32;

function identityOf(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch {
    // A transformed value need not be JSON.
    return JSON.stringify(value) ?? String(value);
  }
}
