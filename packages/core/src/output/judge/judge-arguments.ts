/**
 * Judge of a call's arguments `{ "output": … }`: also of the bare answer, encoded twice, or in a
 * fence. Pure.
 */
import { isRecord } from '../../kit/is-record.ts';
import { findInexact } from '../../json/text/find-inexact.ts';
import type { Refusal } from '../definition/answer-errors.ts';
import {
  labels,
  refuseAt,
  type FoundAnswer,
  type JudgeRules,
  type Judging,
  type WrittenCall,
  contentOf,
} from './judged.ts';
import { judgeWritten } from './judge-written.ts';
import { isRefusal, readWritten, readText } from './read-text.ts';
import { ENVELOPE_KEY } from '../../schema/engine/embed-schema.ts';

/**
 * Judges the arguments of one call.
 *
 * @yields each value to validate
 */
export function* judgeArguments(
  { text: raw, isParsedElsewhere = false }: WrittenCall,
  rules: JudgeRules,
): Judging {
  const read = readText(raw, rules, true);
  if (isRefusal(read)) return { ...read, raw };
  const whole: FoundAnswer = { ...read, isParsedElsewhere };
  const inner = withoutString(whole, rules);
  const likeliest = inner ?? whole;
  // Of two answers under one key, parsing keeps the last.
  const doubled = findInexact(likeliest.text, likeliest.value);
  if (doubled?.kind === 'doubled-key') return refuseAt(raw, doubled.message, doubled.path);
  // Arguments that are left out answer nothing, although an object of optional keys accepts them.
  if (isRecord(likeliest.value) && Object.keys(likeliest.value).length === 0) return refuseBare(raw);
  const held = contentOf(likeliest);
  if (held === undefined) return yield* judgeBare(inner === undefined ? [whole] : [inner, whole], raw, rules);
  // With its envelope, the whole is never the answer: a schema for any object would accept it. What
  // stands beside the answer is dropped at the level `lenient` only.
  const { isAlone, ...written } = held;
  if (!isAlone && rules.reader === undefined) return refuseBare(raw);
  const repairs = [...likeliest.repairs, ...labels(...(isAlone ? [] : ['dropped-keys']))];
  return yield* judgeWritten(
    { ...written, repairs, isParsedElsewhere },
    inner === undefined ? held.text : raw,
    rules,
  );
}

function* judgeBare(answers: readonly FoundAnswer[], raw: string, rules: JudgeRules): Judging {
  for (const answer of answers) {
    const repairs = [...answer.repairs, ...labels('missing-envelope')];
    const judged = yield* judgeWritten({ ...answer, repairs }, raw, rules);
    if (judged.type !== 'refused') return judged;
    // Only a mismatch can have its reason in the envelope.
    if (judged.code !== 'schema-mismatch') return judged;
  }
  // The place of the answer is the first mistake. Issues below it would mislead.
  return refuseBare(raw);
}

function withoutString(whole: FoundAnswer, rules: JudgeRules): FoundAnswer | undefined {
  const read = typeof whole.value === 'string' ? readWritten(whole.value.trim(), rules, true) : undefined;
  if (read === undefined || isRefusal(read)) return undefined;
  return { ...whole, ...read, repairs: [...whole.repairs, ...labels('parsed-string')] };
}

/** The refusal of arguments without their envelope, whose value does not fit either. */
function refuseBare(raw: string): Refusal {
  return refuseAt(raw, `Expected an object with the one key "${ENVELOPE_KEY}", which holds the whole answer`);
}
