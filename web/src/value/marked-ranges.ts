/** Ranges of a text that are marked, and the text between them. Pure. */
import type { SubmissionText } from './submission-text.ts';

/** A range, in UTF-16 units. `end` is exclusive. */
export interface MarkedRange {
  readonly start: number;
  readonly end: number;
  /** Absent between the marks. */
  readonly look?: 'refused' | 'selected';
}

/** Returns the ranges in order. Together they are the whole text. A range inside of another is left out. */
export function markedRanges(
  { text, positions }: SubmissionText,
  refused: readonly string[],
  field: string,
): readonly MarkedRange[] {
  const wanted = [
    ...(field === '' ? [] : [[field, 'selected'] as const]),
    ...refused.map((pointer) => [pointer, 'refused'] as const),
  ];
  const marks = wanted
    .flatMap(([pointer, look]) => {
      const found = positions.get(pointer);
      return found === undefined ? [] : [{ start: found.from, end: found.end, look }];
    })
    .toSorted((a, b) => a.start - b.start);
  const ranges: MarkedRange[] = [];
  let at = 0;
  for (const mark of marks) {
    if (mark.start < at) continue;
    if (mark.start > at) ranges.push({ start: at, end: mark.start });
    ranges.push(mark);
    at = mark.end;
  }
  return at === text.length ? ranges : [...ranges, { start: at, end: text.length }];
}
