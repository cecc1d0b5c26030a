/**
 * Judge of a text: the whole of it, one fence, or what stands after its reasoning and before its
 * template's marks. Pure.
 */
import { parseJson } from '../json/parse-json.ts';
import { unwrapFence } from '../json/unwrap-fence.ts';
import { answerCandidates, type AnswerCandidate } from '../candidates/after-reasoning.ts';
import { labels, refuse, type JudgeRules, type Judging, type Refusal, type Screened } from './judged.ts';
import { judgeWritten, type FoundAnswer } from './judge-written.ts';
import { ENVELOPE_KEY } from './undo-envelopes.ts';
import { choiceOf } from './validate-value.ts';

/** A text that is not JSON as a whole, or the JSON in it. */
export type ReadText = { readonly type: 'read'; readonly answer: FoundAnswer } | Refusal;

/**
 * Judges a text that is the answer as a whole.
 *
 * @yields each value to validate
 */
export function* judgeText(raw: string, rules: JudgeRules, isParsedElsewhere = false): Judging {
  const read = readText(raw, rules);
  if (read.type === 'refused') return read;
  return yield* judgeWritten({ ...read.answer, isParsedElsewhere }, raw, rules);
}

/**
 * Reads the answer in a text. If the whole text is none, the text without its reasoning and its
 * template's marks is read, as a labelled repair. Never between tags.
 */
export function readText(raw: string, rules: JudgeRules): ReadText {
  const candidates = rules.isTagged === true ? [] : answerCandidates(raw);
  return rules.words === undefined || rules.inverse !== undefined
    ? readJson(raw, candidates, rules)
    : readWords(raw, candidates, rules.words, rules);
}

function readWords(
  raw: string,
  candidates: readonly AnswerCandidate[],
  words: readonly string[],
  { repairs = [] }: JudgeRules,
): ReadText {
  const said = candidates.find(({ text }) => choiceOf(text.trim(), words) !== undefined);
  const value = (said?.text ?? raw).trim();
  const undone = said === undefined ? [] : labels(said.repair);
  return { type: 'read', answer: { value, text: value, repairs: [...repairs, ...undone] } };
}

function readJson(raw: string, candidates: readonly AnswerCandidate[], rules: JudgeRules): ReadText {
  const { repairs = [] } = rules;
  const first = readValue(raw, rules);
  if (first.type === 'read') return { type: 'read', answer: { ...first.answer, repairs } };
  for (const { text, repair } of candidates) {
    const inner = readValue(text, rules);
    if (inner.type === 'read')
      return { type: 'read', answer: { ...inner.answer, repairs: [...repairs, ...labels(repair)] } };
  }
  return first;
}

/** Parses and screens a text without its fence. */
function readValue(raw: string, { screen }: JudgeRules): ReadText {
  const text = unwrapFence(raw);
  const parsed = parseJson(text);
  if (!parsed.success) return refuse('invalid-json', raw, { ...parsed, problem: parsed.code });
  const screened = screen?.(`{"${ENVELOPE_KEY}":${text}}`);
  if (screened === undefined) return { type: 'read', answer: { value: parsed.value, text, repairs: [] } };
  if (screened.type !== 'screened') return refuseScreened(screened, raw);
  return { type: 'read', answer: { value: screened.value, text: screened.raw, repairs: [] } };
}

/** Returns the refusal of screened arguments that are not validated. */
export function refuseScreened(
  screened: Exclude<Screened, { readonly type: 'screened' }>,
  raw: string,
): Refusal {
  if (screened.type === 'too-large') return refuse('too-large', raw);
  if (screened.type === 'not-enveloped') return refuseBare(raw);
  const { reason, cause, code } = screened;
  return refuse('invalid-json', raw, { reason, cause, problem: code });
}

/** The refusal of arguments without their envelope, whose value does not fit either. */
export function refuseBare(raw: string): Refusal {
  const message = `Expected an object with the one key "${ENVELOPE_KEY}", which holds the whole answer`;
  const issues = [{ path: [], message }];
  return refuse('schema-mismatch', raw, { issues, cause: issues });
}
