/**
 * Judge of a call's arguments `{ "output": … }`: also of the bare answer, encoded twice, or in a
 * fence. Pure.
 */
import { isRecord } from '../../errors/base/is-record.ts';
import { findInexact } from '../../schema/json-text/find-inexact.ts';
import { memberText } from '../../schema/json-text/member-text.ts';
import { parseJson } from '../json/parse-json.ts';
import { unwrapFence } from '../json/unwrap-fence.ts';
import { withoutEndTokens } from '../candidates/control-tokens.ts';
import {
  labels,
  refuse,
  type JudgeRules,
  type Judging,
  type Refusal,
  type Screened,
  type WrittenCall,
} from './judged.ts';
import { refuseBare, refuseScreened } from './judge-text.ts';
import { judgeWritten, type FoundAnswer } from './judge-written.ts';
import { ENVELOPE_KEY, type WrittenAnswer } from './undo-envelopes.ts';

/** Arguments that can be read: the answers in them, likeliest first. */
interface ReadArguments {
  readonly type: 'read';
  readonly answers: readonly FoundAnswer[];
  /** The text that a refusal shows. */
  readonly raw: string;
  readonly isEnveloped: boolean;
}

/**
 * Judges the arguments of one call.
 *
 * @yields each value to validate
 */
export function* judgeArguments(call: WrittenCall, rules: JudgeRules): Judging {
  const read = readArguments(call, rules);
  if (read.type === 'refused') return read;
  let first: Refusal | undefined;
  for (const answer of read.answers) {
    const judged = yield* judgeWritten(answer, read.raw, rules);
    if (judged.type !== 'refused') return judged;
    first ??= judged;
    // Only a mismatch can have its reason in the envelope.
    if (judged.code !== 'schema-mismatch') return first;
  }
  // The place of the answer is the first mistake. Issues below it would mislead.
  return read.isEnveloped ? (first ?? refuseBare(read.raw)) : refuseBare(read.raw);
}

/** Reads arguments as they are written, and in a fence or before a template's mark. */
function readArguments(call: WrittenCall, rules: JudgeRules): ReadArguments | Refusal {
  const whole = openArguments(call, rules, []);
  if (whole.type === 'read' || whole.code === 'too-large') return whole;
  const marked = withoutEndTokens(call.text).trimEnd();
  const unmarked = marked.endsWith(CALL_END) ? marked.slice(0, -CALL_END.length) : marked;
  const bodies: readonly (readonly [string, readonly string[]])[] = [
    [unwrapFence(call.text), ['unwrapped-fence']],
    [unmarked, ['dropped-end-token']],
    [unwrapFence(unmarked), ['dropped-end-token', 'unwrapped-fence']],
  ];
  for (const [text, undone] of bodies) {
    const read = text === call.text ? whole : openArguments({ ...call, text }, rules, undone);
    if (read.type === 'read') return read;
  }
  return whole;
}

/** The end of a call in the form of Hermes templates, which a server can leave in the arguments. */
const CALL_END = '</tool_call>';

function openArguments(
  { text, isParsedElsewhere = false }: WrittenCall,
  rules: JudgeRules,
  undone: readonly string[],
): ReadArguments | Refusal {
  const opened = rules.screen === undefined ? openPlain(text) : openScreened(rules.screen(text), text);
  if (opened.type === 'refused') return opened;
  const found = (value: unknown, written: string, ...kinds: readonly string[]): FoundAnswer => ({
    value,
    text: written,
    repairs: [...(rules.repairs ?? []), ...labels(...undone, ...kinds)],
    isParsedElsewhere,
  });
  const { value, content } = opened;
  const bare = found(value, text, 'missing-envelope');
  if (typeof value === 'string' && undone.length === 0) {
    const inner = openArguments({ text: value.trim(), isParsedElsewhere }, rules, ['parsed-string']);
    if (inner.type === 'read') return { ...inner, answers: [...inner.answers, bare], raw: text };
  }
  // Arguments that are left out answer nothing, although an object of optional keys accepts them.
  if (isRecord(value) && Object.keys(value).length === 0) return refuseBare(text);
  if (content === undefined) return { type: 'read', answers: [bare], raw: text, isEnveloped: false };
  // With its envelope, the whole is never the answer: a schema for any object would accept it. What
  // stands beside the answer is dropped at the level `lenient` only.
  const isAlone = isRecord(value) && Object.keys(value).length === 1;
  const held = found(content.value, content.text, ...(isAlone ? [] : ['dropped-keys']));
  return isAlone || rules.reader !== undefined
    ? { type: 'read', answers: [held], raw: content.text, isEnveloped: true }
    : { type: 'read', answers: [], raw: text, isEnveloped: false };
}

/** A parsed value, and the content of its envelope. */
interface Opened {
  readonly type: 'opened';
  readonly value: unknown;
  readonly content: WrittenAnswer | undefined;
}

function openScreened(screened: Screened, text: string): Opened | Refusal {
  if (screened.type === 'not-enveloped') return openPlain(text);
  if (screened.type !== 'screened') return refuseScreened(screened, text);
  const { value, raw } = screened;
  return { type: 'opened', value: { [ENVELOPE_KEY]: value }, content: { value, text: raw } };
}

function openPlain(text: string): Opened | Refusal {
  const parsed = parseJson(text);
  if (!parsed.success) return refuse('invalid-json', text, { ...parsed, problem: parsed.code });
  const { value } = parsed;
  // Of two answers under one key, parsing keeps the last.
  const doubled = findInexact(text, value);
  if (doubled?.kind === 'doubled-key') {
    const issues = [{ path: doubled.path, message: doubled.message }];
    return refuse('schema-mismatch', text, { issues, cause: issues });
  }
  const held = isRecord(value) && Object.hasOwn(value, ENVELOPE_KEY);
  const written = held ? memberText(text, [ENVELOPE_KEY]) : undefined;
  const content = written === undefined || !held ? undefined : { value: value[ENVELOPE_KEY], text: written };
  return { type: 'opened', value, content };
}
