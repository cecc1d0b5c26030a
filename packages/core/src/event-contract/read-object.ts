/** Reader for one event object: keeps the beginning of a cut `text`. Pure. */
import { readJsonObject, type ObjectReading } from '../output/candidates/read-json-object.ts';

/**
 * The only field whose truncated value is useful. A part of any other value is a different value.
 */
export const KEPT_WHEN_CUT = 'text';

/** Parses the object whose opening brace is at `start`. */
export function readObject(text: string, start: number): ObjectReading {
  return readJsonObject(text, start, KEPT_WHEN_CUT);
}
