/**
 * Reasoning removal: separates a model's reasoning from its answer, if the server left both in one
 * text. Pure.
 */
import { reasoningTags } from './reasoning-tags.ts';

/**
 * Returns candidates for the answer after the reasoning, likeliest first. Empty if no reasoning is
 * marked.
 *
 * The reasoning is at the beginning. It is opened there, or only closed if the server's template
 * opened it already. A mark inside of an answer therefore does not end it, unless the text after it
 * is an answer itself. The caller checks that.
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
