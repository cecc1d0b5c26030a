/** Code point counting, only where needed. Pure. */
import type { WorkMeter } from '../../work/work-budget.ts';

/**
 * Returns true if a string has `min` to `max` code points. The count is between half of the UTF-16
 * units and all of them.
 */
export function isCodePointCountWithin(text: string, min: number, max: number, meter: WorkMeter): boolean {
  const { length } = text;
  if (length < min || length >> 1 > max) return false;
  if (length <= max && length >> 1 >= min) return true;
  meter.spend(length >> 3);
  const count = countCodePoints(text);
  return count >= min && count <= max;
}

export function countCodePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if ((text.codePointAt(index) ?? 0) > 0xff_ff) index += 1;
    count += 1;
  }
  return count;
}
