/**
 * Reader of a text: the JSON of the whole of it, of one fence, or of what stands after its reasoning
 * and before its template's marks. Pure.
 */
import { answerCandidates } from '../candidates/control-tokens.ts';
import type { Refusal } from '../definition/answer-errors.ts';
import { parseJson } from '../../json/parse-json.ts';
import { unwrapFence } from '../scan/json-reader.ts';
import { labels, refuse, type FoundAnswer, type JudgeRules, envelope, type WrittenAnswer } from './judged.ts';
import { wordIn } from '../definition/output-kinds.ts';

/**
 * Reads the answer in a text. If the whole text is not an answer, the reasoning and the
 * marks of the chat template are removed and the rest is read, as a labelled repair. Never between tags.
 *
 * @param isCall - true for the arguments of a call, which are always JSON
 */
export function readText(raw: string, rules: JudgeRules, isCall: boolean = false): FoundAnswer | Refusal {
  const { words, inverse, isTagged } = rules;
  const marked = isTagged === true ? [] : answerCandidates(raw);
  if (words !== undefined && inverse === undefined && !isCall) {
    const said = marked.find(({ text }) => wordIn(text.trim(), words) !== undefined);
    const value = (said?.text ?? raw).trim();
    return { value, text: value, repairs: undone(rules, said?.repair) };
  }
  const whole = readBody(raw, rules, isCall);
  if (!isRefusal(whole)) return whole;
  for (const { text, repair } of marked) {
    const inner = readBody(text, rules, isCall, repair);
    if (!isRefusal(inner)) return inner;
  }
  return whole;
}

/** Arguments in a fence are a repair. A text in one is the usual form. */
function readBody(text: string, rules: JudgeRules, isCall: boolean, repair?: string): FoundAnswer | Refusal {
  const body = unwrapFence(text);
  const read = readWritten(body, rules, isCall);
  if (isRefusal(read)) return { ...read, raw: text };
  const isFenced = isCall && body !== text.trim();
  return { ...read, repairs: undone(rules, repair, isFenced ? 'unwrapped-fence' : undefined) };
}

function undone(
  { repairs = [] }: JudgeRules,
  ...kinds: readonly (string | undefined)[]
): FoundAnswer['repairs'] {
  return [...repairs, ...labels(...kinds.filter((kind) => kind !== undefined))];
}

/** Parses and screens JSON text. */
export function readWritten(
  text: string,
  { screen }: JudgeRules,
  isCall: boolean = false,
): WrittenAnswer | Refusal {
  const parsed = parseJson(text);
  const problem = parsed.success ? screen?.(isCall ? text : envelope(text)) : parsed;
  if (problem !== undefined) return refuse('invalid-json', text, { ...problem, problem: problem.code });
  return { value: parsed.success ? parsed.value : undefined, text };
}

/** Returns true for a text that cannot be read. */
export function isRefusal(read: WrittenAnswer | Refusal): read is Refusal {
  return 'code' in read;
}
