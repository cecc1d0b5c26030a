/** Field of the character that was clicked, in a text whose spans have their position as `data-from`. */
import { fieldAt } from './answer-positions.ts';
import type { JsonSpan } from '../json/json-positions.ts';

/** Returns the field. Undefined outside of all fields, and after a range was selected to be copied. */
export function fieldAtSelection(positions: ReadonlyMap<string, JsonSpan>): string | undefined {
  const { anchorNode, anchorOffset = 0, isCollapsed } = getSelection() ?? {};
  const from = Number(anchorNode?.parentElement?.dataset['from']);
  return isCollapsed === true ? fieldAt(positions, from + anchorOffset) : undefined;
}
