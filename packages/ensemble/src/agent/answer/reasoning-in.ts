/** Finds the reasoning that a model printed between marks before its answer. Pure. */
import { reasoningTags } from '@truecast/core/internal/output/candidates/reasoning-tags';

/**
 * Returns the text after the first opening mark, up to the next closing mark of the same name or
 * the end.
 */
export function reasoningIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const tags = reasoningTags(text);
  const opening = tags.find(({ isClosing }) => !isClosing);
  if (opening === undefined) return undefined;
  const closing = tags.find(
    ({ name, isClosing, start }) => isClosing && name === opening.name && start >= opening.end,
  );
  const inside = text.slice(opening.end, closing?.start).trim();
  return inside === '' ? undefined : inside;
}
