/**
 * Judge of a reply: where the answer stands, whether it is whole, and whether there is only one.
 * The one judge of every route. Pure: it yields each value to validate.
 *
 * reply → submissions, or text, or another place → strict judge → lenient judge, if allowed
 */
import { canonicalJson } from '../../schema/canonical-json.ts';
import { parseJson } from '../json/parse-json.ts';
import { isLongerThan } from '../json/utf8-length.ts';
import { judgeArguments } from './judge-arguments.ts';
import { judgeLeniently } from './judge-leniently.ts';
import { judgeText } from './judge-text.ts';
import {
  labels,
  refuse,
  type Judged,
  type JudgeRules,
  type Judging,
  type Reply,
  type WrittenCall,
} from './judged.ts';

/** Label of an answer that came as text, from a model that was asked to call a tool. */
export const ANSWER_IN_TEXT = 'answer-in-text';
/** Label of an answer that the service reports as reasoning, in a reply without text. */
const ANSWER_IN_REASONING = 'answer-in-reasoning';
/** Label of an answer in a call of a tool that was not offered. */
const ANSWER_IN_CALL = 'answer-in-tool-call';

/**
 * Judges a reply to a request for a call of the answer tool.
 *
 * @yields each value to validate
 */
export function* judgeCallReply(reply: Reply, rules: JudgeRules): Judging {
  const { submissions = [], text, reasoning = '', ending } = reply;
  if (ending === 'withheld') return { type: 'no-answer', reason: 'withheld' };
  const isCut = ending === 'cut';
  if (submissions.length > 0) return yield* judgeSubmissions(submissions, isCut, rules);
  const [said, label] = text.trim() === '' ? [reasoning, ANSWER_IN_REASONING] : [text, ANSWER_IN_TEXT];
  const judged = yield* judgePiece({ text: said, isCut, label }, rules);
  // A text that is no JSON, and whatever reasoning says, is no attempt to answer.
  const isAttempt = judged.type !== 'refused' || (label === ANSWER_IN_TEXT && judged.code !== 'invalid-json');
  return isAttempt ? judged : { type: 'no-answer', reason: 'no-call' };
}

/**
 * Judges a reply to a request for text that is the answer.
 *
 * @yields each value to validate
 */
export function* judgeTextReply(reply: Reply, rules: JudgeRules): Judging {
  const { text, reasoning = '', submissions = [], otherCall, ending } = reply;
  if (ending === 'withheld') return { type: 'no-answer', reason: 'withheld' };
  const isCut = ending === 'cut';
  const { isParsedElsewhere = false } = reply;
  if (text.trim() !== '') return yield* judgePiece({ text, isParsedElsewhere, isCut }, rules);
  const several = refuseDifferent(submissions);
  if (several !== undefined) return several;
  if (otherCall !== undefined)
    return yield* judgePiece({ ...otherCall, isCut, label: ANSWER_IN_CALL }, rules);
  const judged = yield* judgePiece({ text: reasoning, isCut, label: ANSWER_IN_REASONING }, rules);
  const isAnswer = judged.type === 'accepted' || (judged.type === 'refused' && judged.code === 'truncated');
  return isAnswer ? judged : { type: 'no-answer', reason: 'empty' };
}

/** A text of a reply. */
interface Piece extends WrittenCall {
  readonly isCut: boolean;
  readonly label?: string;
}

function* judgePiece({ text, isParsedElsewhere, isCut, label }: Piece, rules: JudgeRules): Judging {
  if (rules.maxBytes !== undefined && isLongerThan(text, rules.maxBytes)) return refuse('too-large', text);
  const labelled =
    label === undefined ? rules : { ...rules, repairs: [...(rules.repairs ?? []), ...labels(label)] };
  const strict = yield* judgeText(text, labelled, isParsedElsewhere);
  return yield* complete(strict, { text, isCut, isCall: false }, labelled);
}

function* judgeSubmissions(calls: readonly WrittenCall[], isCut: boolean, rules: JudgeRules): Judging {
  const last = calls.at(-1) ?? { text: '' };
  const { maxBytes } = rules;
  if (maxBytes !== undefined && calls.some(({ text }) => isLongerThan(text, maxBytes)))
    return refuse('too-large', last.text);
  const several = refuseDifferent(calls);
  if (several !== undefined) return several;
  const strict = yield* judgeArguments(last, rules);
  return yield* complete(strict, { text: last.text, isCut, isCall: true }, rules);
}

/** Equal answers that are submitted twice are one answer. */
function refuseDifferent(calls: readonly WrittenCall[]): Judged | undefined {
  const different = new Set(calls.map(identityOf)).size;
  const reason = `${different} different answers were submitted in one reply`;
  return different > 1 ? refuse('ambiguous', calls.at(-1)?.text ?? '', { reason }) : undefined;
}

function identityOf({ text }: WrittenCall): string {
  const parsed = parseJson(text);
  if (!parsed.success) return text;
  try {
    return canonicalJson(parsed.value);
  } catch {
    return text;
  }
}

/**
 * Refuses what a limit cut, and reads leniently what is no answer as a whole.
 *
 * @yields each value to validate
 */
function* complete(
  strict: Judged,
  { text, isCut, isCall }: { readonly text: string; readonly isCut: boolean; readonly isCall: boolean },
  rules: JudgeRules,
): Judging {
  if (isCut) return isClosed(text, strict, rules) ? strict : refuse('truncated', text);
  const isFinal = strict.type !== 'refused' || strict.code === 'validator-error';
  if (isFinal || rules.reader === undefined) return strict;
  return yield* judgeLeniently({ text, strict, isCall }, rules.reader, rules);
}

/**
 * Returns true if a text at the output limit is complete: a closed object, array or string cannot
 * grow, and white space after it means nothing. More digits or words could have followed.
 */
function isClosed(text: string, judged: Judged, { words }: JudgeRules): boolean {
  if (judged.type === 'refused' && judged.code === 'invalid-json') return false;
  return words === undefined ? !/\d\s*$/u.test(text) : /"\s*$/u.test(text);
}
