/** Lenient candidates: the objects in a longer text, and the contents of their wrappers. Pure. */
import { findInexact } from '../../schema/json-text/find-inexact.ts';
import { memberText } from '../../schema/json-text/member-text.ts';
import { parseJson } from '../json/parse-json.ts';
import { finalChannel, withoutEndTokens } from './control-tokens.ts';
import { findJsonObjects } from './find-json-objects.ts';

/** A value that can be the answer. */
export interface LenientCandidate {
  /** Its text. JSON if there are no repairs of its syntax. */
  readonly raw: string;
  readonly value: unknown;
  /** Repairs that led to it. */
  readonly repairs: readonly string[];
  /** Contents of its wrapper, which are tried if it does not fit itself. */
  readonly contents?: readonly LenientCandidate[];
}

/** Lists the values in a text that can be the answer. */
export type CandidateReader = (text: string) => readonly LenientCandidate[];

const OPENED_WRAPPER = 'opened-wrapper';
const PARSED_STRING = 'parsed-string';

/** Returns true if a candidate's text is JSON as it stands. */
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
    .map(({ value, repairs, start, end }): LenientCandidate => {
      const raw = said.slice(start, end);
      return { value, repairs, raw, contents: repairs.length === 0 ? contentsOf(value, raw) : [] };
    });
};

/**
 * Lists the objects directly inside an object, also those that are encoded as text. Of two under one
 * key, parsing keeps the last, so such an object has none.
 */
export function contentsOf(value: Readonly<Record<string, unknown>>, raw: string): LenientCandidate[] {
  if (findInexact(raw, value)?.kind === 'doubled-key') return [];
  return Object.entries(value).flatMap(([key, inner]): LenientCandidate[] => {
    if (typeof inner === 'string') return contentsOfString(inner);
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
    const text = isObject ? memberText(raw, [key]) : undefined;
    return text === undefined ? [] : [{ raw: text, value: inner, repairs: [OPENED_WRAPPER] }];
  });
}

function contentsOfString(text: string): LenientCandidate[] {
  const parsed = text.trimStart().startsWith('{') ? parseJson(text) : undefined;
  if (parsed?.success !== true) return [];
  return [{ raw: text, value: parsed.value, repairs: [OPENED_WRAPPER, PARSED_STRING] }];
}
