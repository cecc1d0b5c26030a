/**
 * Reasoning removal: separates a model's reasoning and its template's marks from its answer, if the
 * server left both in one text. Pure.
 */
import { finalChannel, hermesArguments, withoutEndTokens } from './control-tokens.ts';
import { reasoningTags } from './reasoning-tags.ts';

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
