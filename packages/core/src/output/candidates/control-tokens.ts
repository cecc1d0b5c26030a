/**
 * Control tokens: separates a model's reasoning and the marks of chat templates from its answer, if the
 * server left them in one text. Pure.
 */
import { memberText } from '../../json/text/member-text.ts';
import { parseJson } from '../../json/parse-json.ts';

/** End-of-turn tokens of current model families, and the end of a call in the form of Hermes templates. */
const END =
  /(?:<\/s>|<\/tool_call>|<\|(?:eot_id|eom_id|im_end|end|return|call|endoftext|end_of_text|end_of_turn)\|>|<end_of_turn>|<｜end▁of▁sentence｜>)$/u;
/** Longer than each token. Only the end of a text is searched. */
const END_CHARS = 40;
const MAX_END_TOKENS = 20;
/** The start of a message in the harmony format. The channel `final` holds the answer. */
const CHANNEL = /<\|channel\|>\s{0,9}(\w{1,30})[^<]{0,60}(?:<\|constrain\|>[^<]{0,60})?<\|message\|>/gu;
const MESSAGE_END = /<\|(?:end|return|call|start|channel)\|>/u;
const HERMES = { start: '<tool_call>', end: '</tool_call>' } as const;

/** Returns the text without end-of-turn tokens at its end. */
export function withoutEndTokens(text: string): string {
  let rest = text;
  for (let count = 0; count < MAX_END_TOKENS; count += 1) {
    const trimmed = rest.trimEnd();
    const token = END.exec(trimmed.slice(-END_CHARS))?.[0];
    if (token === undefined) return rest;
    rest = trimmed.slice(0, -token.length);
  }
  return rest;
}

/**
 * Returns the text of the last `final` channel. Undefined for a text without channels, and empty if
 * only other channels, such as `analysis`, have text.
 */
export function finalChannel(text: string): string | undefined {
  const channels = [...text.matchAll(CHANNEL)];
  if (channels.length === 0) return undefined;
  const final = channels.findLast(([, name]) => name === 'final');
  if (final === undefined) return '';
  const said = text.slice(final.index + final[0].length);
  const end = MESSAGE_END.exec(said);
  return end === null ? said : said.slice(0, end.index);
}

/**
 * Returns the JSON text of the arguments, if the whole text is one tool call in the form of Hermes
 * templates.
 */
export function hermesArguments(text: string): string | undefined {
  const call = text.trim();
  if (!call.startsWith(HERMES.start)) return undefined;
  const isClosed = call.endsWith(HERMES.end);
  const inside = call.slice(HERMES.start.length, isClosed ? -HERMES.end.length : undefined).trim();
  return parseJson(inside).success ? memberText(inside, ['arguments']) : undefined;
}

/** A part of the text that can be the answer, and the repair that led to it. */
export interface AnswerCandidate {
  readonly text: string;
  readonly repair: 'dropped-reasoning' | 'dropped-end-token' | 'read-tool-call';
}

/**
 * Returns candidates for the answer beside the whole text, likeliest first. Empty if nothing is
 * marked.
 *
 * The reasoning is at the beginning. It is opened there, or only closed if the server's template
 * opened it already. A mark inside of an answer therefore does not end it, unless the text after it
 * is an answer itself. The caller checks that.
 */
export function answerCandidates(raw: string): readonly AnswerCandidate[] {
  const final = finalChannel(raw);
  if (final !== undefined) return [{ text: final, repair: 'dropped-reasoning' }];
  const text = withoutEndTokens(raw);
  const spoken = afterReasoning(text);
  const candidates: AnswerCandidate[] = spoken.map((each) => ({ text: each, repair: 'dropped-reasoning' }));
  if (text !== raw) candidates.push({ text, repair: 'dropped-end-token' });
  for (const each of [text, ...spoken]) {
    const call = hermesArguments(each);
    if (call !== undefined) candidates.push({ text: call, repair: 'read-tool-call' });
  }
  return candidates;
}

function afterReasoning(text: string): readonly string[] {
  const tags = reasoningTags(text);
  const [first] = tags;
  if (first === undefined) return [];
  if (!first.isClosing && text.slice(0, first.start).trim() !== '') return [];
  const closings = tags.filter(({ isClosing, name }) => isClosing && name === first.name);
  const ends = [closings[0]?.end, closings.at(-1)?.end].filter((end) => end !== undefined);
  return [...new Set(ends)].map((end) => text.slice(end));
}

/** One mark: its position, and whether it opens or closes. */
export interface ReasoningTag {
  readonly name: string;
  readonly isClosing: boolean;
  readonly start: number;
  readonly end: number;
}

const TAG =
  /<(\/?)(think|thinking|thought|reason|reasoning|analysis|scratchpad|monologue|reflection)>|\[(\/?)(think)\]|◁(\/?)(think)▷/giu;

/** Returns all marks in order. */
export function reasoningTags(text: string): readonly ReasoningTag[] {
  return [...text.matchAll(TAG)].map((match) => ({
    name: (match[2] ?? match[4] ?? match[6] ?? '').toLowerCase(),
    isClosing: (match[1] ?? match[3] ?? match[5]) === '/',
    start: match.index,
    end: match.index + match[0].length,
  }));
}
