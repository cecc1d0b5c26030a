/**
 * Judge of a reply: finds the answer, and whether it is whole and the only one.
 * The one judge of every route. Pure: it yields each value to validate.
 *
 * reply → submissions, or text, or another place → strict judge → lenient judge, if allowed
 */
import { isLongerThan } from '../../kit/utf8-length.ts';
import { judgeArguments } from './judge-arguments.ts';
import { judgeLeniently, textIdentity } from './judge-leniently.ts';
import { judgeText } from './judge-written.ts';
import {
  labels,
  refuse,
  refuseEnded,
  type Judged,
  type JudgeRules,
  type Judging,
  type Reply,
  type WrittenCall,
} from './judged.ts';

/** Label of an answer that came as text, from a model that was asked to call a tool. */
const ANSWER_IN_TEXT = 'answer-in-text';
/** Label of an answer that the service reports as reasoning, in a reply without text. */
const ANSWER_IN_REASONING = 'answer-in-reasoning';
/** Label of an answer in a call of a tool that was not offered. */
const ANSWER_IN_CALL = 'answer-in-tool-call';

/**
 * Judges a reply.
 *
 * @param asked - whether the model was asked for a call of the answer tool, or for text
 * @yields each value to validate
 */
export function* judge(reply: Reply, rules: JudgeRules, asked: 'call' | 'text'): Judging {
  const { submissions = [], text, isParsedElsewhere = false, reasoning = '' } = reply;
  if (reply.ending === 'withheld') return { type: 'no-answer', reason: 'withheld' };
  const [call, label] =
    asked === 'call'
      ? [submissions.at(-1), undefined]
      : [text.trim() === '' ? reply.otherCall : undefined, ANSWER_IN_CALL];
  if (call !== undefined) {
    return (
      refuseDifferent(submissions) ??
      (yield* judgePiece({ ...call, reply, label, isCall: asked === 'call' }, rules))
    );
  }
  const isSaid = text.trim() !== '';
  const piece = isSaid
    ? { text, isParsedElsewhere, label: asked === 'call' ? ANSWER_IN_TEXT : undefined }
    : { text: reasoning, label: ANSWER_IN_REASONING };
  const judged = yield* judgePiece({ ...piece, reply }, rules);
  // Other text than JSON is not an attempt to call, and reasoning is not an attempt to answer.
  const isAttempt = isSaid
    ? asked === 'text' || codeOf(judged) !== 'invalid-json'
    : ['truncated', 'runaway', undefined].includes(codeOf(judged));
  return isAttempt ? judged : { type: 'no-answer', reason: asked === 'call' ? 'no-call' : 'empty' };
}

function codeOf(judged: Judged): string | undefined {
  return judged.type === 'refused' ? judged.code : undefined;
}

/** A text of a reply, or the arguments of the call. */
interface Piece extends WrittenCall {
  readonly reply: Reply;
  readonly isCall?: boolean;
  readonly label?: string | undefined;
}

/**
 * Judges a piece strictly, refuses what a limit cut, and reads leniently what is no answer as a whole.
 *
 * @yields each value to validate
 */
function* judgePiece({ reply, isCall = false, label, ...call }: Piece, plain: JudgeRules): Judging {
  const { text } = call;
  const { maxBytes, reader } = plain;
  if (maxBytes !== undefined && isLongerThan(text, maxBytes)) return refuse('too-large', text);
  const repairs = [...(plain.repairs ?? []), ...labels(...(label === undefined ? [] : [label]))];
  const rules = { ...plain, repairs };
  const strict = yield* isCall ? judgeArguments(call, rules) : judgeText(text, rules, call.isParsedElsewhere);
  const ended = refuseEnded(reply, text);
  if (ended !== undefined) return isClosed(text, strict, rules) ? strict : ended;
  const isFinal = reader === undefined || strict.type !== 'refused' || strict.code === 'validator-error';
  return isFinal ? strict : yield* judgeLeniently({ text, strict, isCall }, rules);
}

/** Equal answers that are submitted twice are one answer. */
function refuseDifferent(calls: readonly WrittenCall[]): Judged | undefined {
  const different = new Set(calls.map(({ text }) => textIdentity(text))).size;
  const reason = `${different} different answers were submitted in one reply`;
  return different > 1 ? refuse('ambiguous', calls.at(-1)?.text ?? '', { reason }) : undefined;
}

/**
 * Returns true if a text at the output limit is complete: a closed object, array or string cannot
 * grow, and white space after it means nothing. More digits or words could have followed.
 */
function isClosed(text: string, judged: Judged, { words }: JudgeRules): boolean {
  if (judged.type === 'refused' && judged.code === 'invalid-json') return false;
  return words === undefined ? !/\d\s*$/u.test(text) : /"\s*$/u.test(text);
}
