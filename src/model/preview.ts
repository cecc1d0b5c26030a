/** Owns the answer as it grows: reads the pieces of a reply as the answer of its route, for `onPartial`. */
import type { AnyOutputDefinition } from '../output/definition.ts';
import { Output } from '../output/output.ts';
import { createTagScanner } from '../output/tag-scanner.ts';
import type { AnswerRoute } from './answer-route.ts';
import type { GenerateOptions } from './generate-options.ts';
import { createReasoningFilter } from './skip-reasoning.ts';

/** Stands before a reply that has no tag of its own, since the reader of previews looks for one. */
const PREVIEW_TAG = 'truecast-preview';

/** Makes a taker of pieces; undefined when nobody looks. */
export function createPreview(
  { onPartial, output }: GenerateOptions<AnyOutputDefinition>,
  route: AnswerRoute,
  draft: number,
): ((delta: string) => void) | undefined {
  if (onPartial === undefined) return undefined;
  const scanner = createTagScanner(output.tag === undefined ? Output.json({ tag: PREVIEW_TAG }) : output);
  if (output.tag === undefined) scanner.push(`<${PREVIEW_TAG}>`);
  const spoken = output.tag === undefined ? createReasoningFilter() : (delta: string): string => delta;
  return (delta) => {
    scanner.push(spoken(delta));
    const partial = scanner.partial();
    const value = partial.value === undefined ? undefined : route.restore(partial.value);
    if (!isShown(value, output)) return;
    // What is read is of the definition's kind; any part of it may be missing or wrong, as the type says.
    onPartial({ value: value, draft: draft - 1 + partial.draft });
  };
}

/** A choice that is only begun is none yet. */
function isShown(value: unknown, output: AnyOutputDefinition): boolean {
  if (value === undefined) return false;
  return output._tag !== 'choice' || (typeof value === 'string' && output.options.includes(value));
}
