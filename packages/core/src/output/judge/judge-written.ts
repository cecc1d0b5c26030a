/**
 * Judge of one written value: exactness, the schema, and known envelopes around it. Pure.
 */
import { findInexact, findSuspect } from '../../json/text/find-inexact.ts';
import type { Refusal } from '../definition/answer-errors.ts';
import { refuseDangerousKeys } from '../../json/bounded-json.ts';
import { showPath, valueAt } from '../../json/show-path.ts';
import {
  labels,
  refuse,
  refuseAt,
  refuseVerdict,
  type FoundAnswer,
  type JudgeRules,
  type Judging,
  contentOf,
} from './judged.ts';
import { isRefusal, readWritten, readText } from './read-text.ts';
import { verdictOf } from './validate-value.ts';
import { isRecord } from '../../kit/is-record.ts';
import type { Issue } from '../../kit/issue.ts';
import type { Repair } from '../definition/provenance.ts';
import { parseJson } from '../../json/parse-json.ts';
import { setOwn } from '../../json/scan/partial-builder.ts';

/**
 * Judges a text that is the answer as a whole.
 *
 * @yields each value to validate
 */
export function* judgeText(raw: string, rules: JudgeRules, isParsedElsewhere: boolean = false): Judging {
  const read = readText(raw, rules);
  return isRefusal(read) ? { ...read, raw } : yield* judgeWritten({ ...read, isParsedElsewhere }, raw, rules);
}

/**
 * Judges a value. If the schema rejects it, the contents of the envelopes are tried.
 *
 * @param raw - the text that a refusal shows
 * @yields each value to validate
 */
export function* judgeWritten(answer: FoundAnswer, raw: string, rules: JudgeRules): Judging {
  const inexact = refuseInexact(answer, raw, rules);
  if (inexact !== undefined) return inexact;
  const first = yield* validate(answer, raw, rules);
  if (first.type !== 'refused' || first.code !== 'schema-mismatch' || rules.isTagged === true) return first;
  let opened = open(answer, rules);
  for (let count = 0; count < MAX_ENVELOPES && opened !== undefined; count += 1) {
    const inner = yield* validate(opened, raw, rules);
    if (inner.type !== 'refused') return inner;
    // The original value was validated without an exception. A guess that the schema cannot process
    // is not a repair, but one that could reach a prototype is an attack.
    if (inner.code === 'invalid-json') return inner;
    opened = open(opened, rules);
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
  if ('type' in restored) return restored;
  const verdict = yield restored.value;
  if (verdict.type !== 'accepted') return refuseVerdict(verdict, raw);
  if (rules.isOurs?.(restored.value) === true || rules.isCopied?.(text) === true) {
    return { type: 'no-answer', reason: 'repeated' };
  }
  const isForeign = rules.isTagged !== true && rules.isForeign?.(restored.value, verdict.value) === true;
  if (isForeign) return refuseAt(raw, 'Expected an object with keys of the schema, got one with others only');
  return { type: 'accepted', value: verdict.value, text, raw, repairs };
}

/** An inverse parses JSON text and builds maps, so its result is screened like the answer itself. */
function restore(
  value: unknown,
  raw: string,
  { inverse }: JudgeRules,
): { readonly value: unknown } | Refusal {
  if (inverse === undefined) return { value };
  try {
    const restored = inverse(value);
    const screen = refuseDangerousKeys(restored, raw);
    return screen.success ? { value: restored } : refuse('invalid-json', raw, screen);
  } catch (cause) {
    return refuseVerdict(verdictOf(cause), raw);
  }
}

/** Refuses text whose parsed value differs from the written one. */
function refuseInexact(
  { value, text, isParsedElsewhere }: FoundAnswer,
  raw: string,
  { keepsDigits, words }: JudgeRules,
): Refusal | undefined {
  if (keepsDigits === true) return undefined;
  // Words are no JSON: digits in them are text.
  const written = words === undefined ? findInexact(text, value) : undefined;
  const isSuspect = words !== undefined || isParsedElsewhere === true;
  const part = written ?? (isSuspect ? findSuspect(value) : undefined);
  if (part === undefined) return undefined;
  const { kind, path, message } = part;
  if (kind === 'out-of-range') {
    const reason = `${message} (at \`${showPath(path)}\`)`;
    return refuse('invalid-json', raw, { reason, cause: new SyntaxError(`Refused JSON: ${reason}`) });
  }
  return refuseAt(raw, message, path);
}

/**
 * A wrapper can contain a string, and a string a wrapper. Deeper wrapping is not a model's habit but
 * another value.
 */
const MAX_ENVELOPES = 2;

/** Takes the answer out of one envelope: a string with the JSON, or an object with the key `output`. */
function open({ value, text, repairs }: FoundAnswer, rules: JudgeRules): FoundAnswer | undefined {
  if (typeof value !== 'string') {
    const content = contentOf({ value, text });
    return content?.isAlone === true
      ? { ...content, repairs: [...repairs, ...labels('unwrapped-output')] }
      : undefined;
  }
  const read = readWritten(value.trim(), rules);
  if (isRefusal(read)) return undefined;
  const isExact = rules.keepsDigits === true || findInexact(read.text, read.value) === undefined;
  return isExact ? { ...read, repairs: [...repairs, ...labels('parsed-string')] } : undefined;
}

/** More are not one model's habit. */
const MAX_STRINGS = 100;

/**
 * Parses each string that an issue names and that holds an array or object. Undefined if there is
 * none. A number or a word in a string stays a string.
 */
function parseStrings(
  value: unknown,
  issues: readonly Issue[],
): Pick<FoundAnswer, 'value' | 'repairs'> | undefined {
  const paths = new Map(issues.map(({ path }) => [JSON.stringify(path), path]));
  let parsedValue = value;
  const repairs: Repair[] = [];
  for (const path of [...paths.values()].slice(0, MAX_STRINGS)) {
    if (path.length === 0) continue;
    const inner = containerIn(valueAt(parsedValue, path));
    if (inner === undefined) continue;
    parsedValue = withValueAt(parsedValue, path, inner);
    repairs.push({ kind: 'parsed-string', path });
  }
  return repairs.length === 0 ? undefined : { value: parsedValue, repairs };
}

function containerIn(text: unknown): object | undefined {
  if (typeof text !== 'string' || !/^\s*[{[]/u.test(text)) return undefined;
  const parsed = parseJson(text);
  if (!parsed.success || findInexact(text, parsed.value) !== undefined) return undefined;
  return typeof parsed.value === 'object' && parsed.value !== null ? parsed.value : undefined;
}

/** Copies the containers on the path, so that the received value stays. */
function withValueAt(root: unknown, [key, ...rest]: Issue['path'], value: unknown): unknown {
  if (key === undefined) return value;
  const inner = withValueAt(valueAt(root, [key]), rest, value);
  if (Array.isArray(root)) return root.with(Number(key), inner);
  const copy: Record<string, unknown> = isRecord(root) ? { ...root } : {};
  setOwn(copy, String(key), inner);
  return copy;
}
