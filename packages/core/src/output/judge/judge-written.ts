/**
 * Judge of one written value: exactness, the schema, and known envelopes around it. Pure.
 */
import { findInexact, findRounded } from '../../schema/json-text/find-inexact.ts';
import type { Repair } from '../definition/provenance.ts';
import { refuseDangerousKeys } from '../json/bounded-json.ts';
import { parseJson } from '../json/parse-json.ts';
import { showPath } from '../json/show-path.ts';
import { refuse, type Judged, type JudgeRules, type Judging, type Refusal } from './judged.ts';
import { parseStrings } from './parsed-strings.ts';
import { ENVELOPE_KEY, undoEnvelopes, type WrittenAnswer } from './undo-envelopes.ts';

/** A value as it was written, and how it was found. */
export interface FoundAnswer extends WrittenAnswer {
  readonly repairs: readonly Repair[];
  readonly isParsedElsewhere?: boolean;
}

/**
 * Judges a value. If the schema rejects it, the contents of its envelopes are tried.
 *
 * @param raw - the text that a refusal shows
 * @yields each value to validate
 */
export function* judgeWritten(answer: FoundAnswer, raw: string, rules: JudgeRules): Judging {
  const inexact = refuseInexact(answer, raw, rules);
  if (inexact !== undefined) return inexact;
  const first = yield* validate(answer, raw, rules);
  if (first.type !== 'refused' || first.code !== 'schema-mismatch' || rules.isTagged === true) return first;
  for (const { value, text, repairs } of undoEnvelopes({ ...answer, repairs: [] }, (text) =>
    readInside(text, rules),
  )) {
    const undone = repairs.map((kind) => ({ kind, path: [] }));
    const inner = yield* validate({ value, text, repairs: [...answer.repairs, ...undone] }, raw, rules);
    if (inner.type !== 'refused') return inner;
    // The original value was validated without an exception. A guess that the schema cannot process
    // is not a repair, but one that could reach a prototype is an attack.
    if (inner.code === 'invalid-json') return inner;
  }
  const unquoted = rules.reader === undefined ? undefined : parseStrings(answer.value, first.issues);
  if (unquoted === undefined) return first;
  const { value, repairs } = unquoted;
  const written = { value, text: JSON.stringify(value), repairs: [...answer.repairs, ...repairs] };
  const judged = yield* validate(written, raw, rules);
  return judged.type === 'accepted' ? judged : first;
}

/**
 * Validates a value in the definition's form.
 *
 * @yields each value to validate
 */
function* validate({ value, text, repairs }: FoundAnswer, raw: string, rules: JudgeRules): Judging {
  const restored = restore(value, raw, rules);
  if (restored.type === 'refused') return restored;
  const verdict = yield restored.value;
  switch (verdict.type) {
    case 'accepted':
      if (rules.isOurs?.(restored.value) === true) return { type: 'no-answer', reason: 'repeated' };
      return { type: 'accepted', value: verdict.value, text, raw, repairs };
    case 'rejected':
      return refuse('schema-mismatch', raw, { issues: verdict.issues, cause: verdict.cause });
    case 'failed':
      return refuse('validator-error', raw, { cause: verdict.cause });
    default:
      return verdict satisfies never;
  }
}

/** An inverse parses JSON text and builds maps, so its result is screened like the answer itself. */
function restore(
  value: unknown,
  raw: string,
  { inverse }: JudgeRules,
): { readonly type: 'restored'; readonly value: unknown } | Refusal {
  if (inverse === undefined) return { type: 'restored', value };
  try {
    const restored = inverse(value);
    const screen = refuseDangerousKeys(restored, raw);
    return screen.success ? { type: 'restored', value: restored } : refuse('invalid-json', raw, screen);
  } catch (cause) {
    return refuse('validator-error', raw, { cause });
  }
}

/** Refuses text whose parsed value differs from the written one. */
function refuseInexact(
  { value, text, isParsedElsewhere }: FoundAnswer,
  raw: string,
  { keepsDigits }: JudgeRules,
): Judged | undefined {
  if (keepsDigits === true) return undefined;
  const part = findInexact(text, value) ?? (isParsedElsewhere === true ? findRounded(value) : undefined);
  if (part === undefined) return undefined;
  const { kind, path, message } = part;
  if (kind === 'out-of-range') {
    const reason = `${message} (at \`${showPath(path)}\`)`;
    return refuse('invalid-json', raw, { reason, cause: new SyntaxError(`Refused JSON: ${reason}`) });
  }
  const issues = [{ path, message }];
  return refuse('schema-mismatch', raw, { issues, cause: issues });
}

/** Parses the text inside an envelope, unless its value differs from the written one. */
function readInside(text: string, { screen, keepsDigits }: JudgeRules): WrittenAnswer | undefined {
  const parsed = parseJson(text);
  if (!parsed.success) return undefined;
  // Invalid JSON could become valid inside an envelope, such as `1},"x":{`.
  const screened = screen?.(`{"${ENVELOPE_KEY}":${text}}`);
  if (screened !== undefined && screened.type !== 'screened') return undefined;
  if (keepsDigits !== true && findInexact(text, parsed.value) !== undefined) return undefined;
  return { value: parsed.value, text: screened?.raw ?? text };
}
