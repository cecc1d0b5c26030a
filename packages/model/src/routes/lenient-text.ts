/**
 * Lenient text reader: the one object in a reply that fits the output, with labelled repairs. Only
 * used if the caller asked for it.
 */
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import type { SafeExtractResult } from '@truecast/core/internal/output/definition/safe-extract-result';
import { parseJson } from '@truecast/core/internal/output/json/parse-json';
import { findObjects } from '@truecast/core/internal/event-contract/find-objects';
import { finalChannel, withoutEndTokens } from '@truecast/core/internal/output/validate/control-tokens';
import {
  safeParseAnswer,
  safeValidateAnswer,
  type AnswerOrigin,
} from '@truecast/core/internal/output/validate/validate-answer';
import { memberText } from '@truecast/core/internal/schema/json-text/member-text';

/** A value that can be the answer. */
export interface LenientCandidate {
  /** Its text. JSON if there are no repairs. */
  readonly raw: string;
  readonly value: unknown;
  /** Repairs of its syntax. */
  readonly repairs: readonly string[];
}

/** Lists the values in a text that can be the answer. */
export type LenientReader = (text: string) => readonly LenientCandidate[];

/** Label of an answer that was found in a longer text. */
export const FOUND_IN_TEXT = 'found-in-text';

/** More candidates than a reply with one answer has. */
const MAX_CANDIDATES = 200;
const OPENED_WRAPPER = 'opened-wrapper';
const PARSED_STRING = 'parsed-string';
/** Repairs after which a candidate's text is still JSON. */
const WRAPPERS: readonly string[] = [OPENED_WRAPPER, PARSED_STRING];
/** A truncated object can lack more than its end. */
const LOSSY = 'cut-off';

/** Lists the objects outside of the reasoning, then the contents of wrappers of one level. */
export const objectsIn: LenientReader = (text) => {
  const said = finalChannel(text) ?? withoutEndTokens(text);
  const objects = findObjects(said)
    .objects.filter(({ repairs }) => !repairs.includes(LOSSY))
    .map(({ value, repairs, start, end }) => ({ value, repairs, raw: said.slice(start, end) }));
  const clean = objects.filter(({ repairs }) => repairs.length === 0);
  return [...objects, ...clean.flatMap(({ value, raw }) => contentsOf(value, raw))];
};

function contentsOf(value: Readonly<Record<string, unknown>>, raw: string): LenientCandidate[] {
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

/**
 * Returns the one candidate that fits the output. Undefined if none fits, or if several different
 * ones do. The caller then asks again. Objects without repairs are tried first.
 */
export async function readLeniently(
  text: string,
  output: AnyOutputDefinition,
  { origin, reader }: { readonly origin: AnswerOrigin; readonly reader: LenientReader },
): Promise<SafeExtractResult<unknown> | undefined> {
  const candidates = reader(text);
  if (candidates.length > MAX_CANDIDATES) return undefined;
  const isClean = ({ repairs }: LenientCandidate): boolean => repairs.length === 0;
  const groups = [candidates.filter(isClean), candidates.filter((candidate) => !isClean(candidate))];
  for (const group of groups) {
    const answers = await Promise.all(group.map((candidate) => judge(candidate, output, origin)));
    const fitting = answers.filter(({ success }) => success);
    const different = new Set(fitting.map((answer) => JSON.stringify(answer.success && answer.value)));
    if (different.size > 1) return undefined;
    if (fitting.length > 0) return withRaw(fitting.at(-1), text);
  }
  return undefined;
}

function judge(
  { raw, value, repairs }: LenientCandidate,
  output: AnyOutputDefinition,
  origin: AnswerOrigin,
): Promise<SafeExtractResult<unknown>> {
  const labels = [FOUND_IN_TEXT, ...repairs].map((kind) => ({ kind, path: [] }));
  const labelled = { ...origin, repairs: [...(origin.repairs ?? []), ...labels] };
  if (repairs.every((kind) => WRAPPERS.includes(kind))) return safeParseAnswer(raw, output, labelled);
  return safeValidateAnswer(value, output, { ...labelled, raw, isParsedElsewhere: true });
}

/** The provenance shows the whole text that was received. */
function withRaw(
  answer: SafeExtractResult<unknown> | undefined,
  raw: string,
): SafeExtractResult<unknown> | undefined {
  return answer?.success === true ? { ...answer, provenance: { ...answer.provenance, raw } } : answer;
}
