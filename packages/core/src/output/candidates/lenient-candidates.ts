/** Lenient candidates: the objects in a longer text, and the contents of their wrappers. Pure. */
import { isRecord } from '../../kit/is-record.ts';
import { findInexact } from '../../json/text/find-inexact.ts';
import { memberText } from '../../json/text/member-text.ts';
import { parseJson } from '../../json/parse-json.ts';
import { finalChannel, withoutEndTokens } from './control-tokens.ts';
import { findJsonObjects } from './find-json-objects.ts';

/** A value that can be the answer. */
export interface LenientCandidate {
  /** Its text. JSON if its syntax needs no repair. */
  readonly raw: string;
  readonly value: unknown;
  /** Repairs that led to it. */
  readonly repairs: readonly string[];
}

/** Lists the values in a text that can be the answer. */
export type CandidateReader = (text: string) => readonly LenientCandidate[];

const OPENED_WRAPPER = 'opened-wrapper';
const PARSED_STRING = 'parsed-string';

/** Returns true if a candidate's text is JSON without repairs. */
export function isWellFormed({ repairs }: LenientCandidate): boolean {
  return repairs.every((kind) => kind === OPENED_WRAPPER || kind === PARSED_STRING);
}

/**
 * Lists the objects outside of the reasoning. None of them lies inside an unreadable object or
 * before one: it was an example or a draft then.
 */
export const objectsIn: CandidateReader = (text) => {
  const said = finalChannel(text) ?? withoutEndTokens(text);
  const { objects, unreadableAt } = findJsonObjects(said);
  return objects
    .filter(({ start }) => start > unreadableAt)
    .map(({ value, repairs, start, end }) => ({ value, repairs, raw: said.slice(start, end) }));
};

/**
 * Lists the objects directly inside a candidate, also those that are encoded as text. Of two under one
 * key, parsing keeps the last, so such a candidate has none.
 */
export function contentsOf({ value, raw, repairs }: LenientCandidate): LenientCandidate[] {
  if (repairs.length > 0 || !isRecord(value) || findInexact(raw, value)?.kind === 'doubled-key') return [];
  return Object.entries(value).flatMap(([key, inner]): LenientCandidate[] => {
    if (typeof inner === 'string') return contentsOfString(inner);
    const text = isRecord(inner) ? memberText(raw, [key]) : undefined;
    return text === undefined ? [] : [{ raw: text, value: inner, repairs: [OPENED_WRAPPER] }];
  });
}

function contentsOfString(text: string): LenientCandidate[] {
  const parsed = text.trimStart().startsWith('{') ? parseJson(text) : undefined;
  if (parsed?.success !== true) return [];
  return [{ raw: text, value: parsed.value, repairs: [OPENED_WRAPPER, PARSED_STRING] }];
}
