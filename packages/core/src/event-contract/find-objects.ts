/** Event candidates: the objects in a model's output, of which a cut `text` is kept. Pure. */
import { findJsonObjects, type FoundObjects } from '../output/candidates/find-json-objects.ts';
import { KEPT_WHEN_CUT } from './read-object.ts';

/** Finds every object outside other objects, unreadable ones and reasoning. */
export function findObjects(text: string): FoundObjects {
  return findJsonObjects(text, KEPT_WHEN_CUT);
}
