/** Owns setting aside the reasoning that a model wrote before its answer, where its server left both in one text. Pure. */
import { reasoningTags } from './reasoning-tags.ts';

/**
 * Returns what may be the answer behind the reasoning, the likeliest first; empty where no reasoning is marked.
 *
 * The reasoning stands at the beginning: opened there, or, where the server's template opened it already, closed only. A mark inside of an answer is
 * therefore no end of it unless what follows is an answer itself, which is for the caller to see.
 */
export function afterReasoning(text: string): readonly string[] {
  const tags = reasoningTags(text);
  const [first] = tags;
  if (first === undefined) return [];
  if (!first.isClosing && text.slice(0, first.start).trim() !== '') return [];
  const closings = tags.filter(({ isClosing, name }) => isClosing && name === first.name);
  const ends = [closings[0]?.end, closings.at(-1)?.end].filter((end) => end !== undefined);
  return [...new Set(ends)].map((end) => text.slice(end));
}
