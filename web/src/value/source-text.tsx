/** Text of a model with the characters of the fields that were refused, or of the selected one. */
import { useEffect, useRef, type ReactNode } from 'react';
import type { SubmissionText } from './submission-text.ts';
import { fieldAt } from './answer-positions.ts';
import type { JsonSpan } from '../json/json-positions.ts';

interface SourceTextProps {
  readonly source: SubmissionText;
  readonly label: string;
  /** Pointers of refused fields. */
  readonly refused?: readonly string[];
  /** The selected field. Empty without one. */
  readonly field?: string;
  /** Called with the field of a character that was clicked. */
  readonly onShow?: (pointer: string) => void;
}

const LOOKS = {
  refused: 'bg-bad-soft text-ink underline decoration-bad decoration-2 underline-offset-3',
  selected: 'bg-accent text-on-accent',
} as const;

/** Renders the text as it was written. */
export function SourceText({ source, label, refused = [], field = '', onShow }: SourceTextProps): ReactNode {
  const { text, positions } = source;
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    box.current?.querySelector('[data-selected]')?.scrollIntoView({ block: 'nearest' });
  }, [field]);
  const select = (): void => {
    const pointer = fieldAtSelection(positions);
    if (pointer !== undefined && pointer !== '') onShow?.(pointer);
  };
  return (
    <pre
      ref={box}
      className={`max-h-60 overflow-auto rounded-sm bg-well p-3 break-words whitespace-pre-wrap text-ink ${onShow === undefined ? '' : 'cursor-pointer'}`}
      tabIndex={0}
      role="group"
      aria-label={label}
      onClick={select}
    >
      {markedRanges(source, refused, field).map(({ start, end, look }) =>
        look === undefined ? (
          <span key={start} data-from={start}>
            {text.slice(start, end)}
          </span>
        ) : (
          <mark
            key={start}
            data-from={start}
            {...(look === 'selected' && { 'data-selected': '' })}
            className={`rounded-sm ${LOOKS[look]}`}
          >
            {text.slice(start, end)}
          </mark>
        ),
      )}
    </pre>
  );
}

/** A range, in UTF-16 units. `end` is exclusive. */
export interface MarkedRange {
  readonly start: number;
  readonly end: number;
  /** Absent between the marks. */
  readonly look?: 'refused' | 'selected';
}

/** Returns the ranges in order. Together they are the whole text. A range inside of another is left out. */
function markedRanges(
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

/**
 * Returns the field of the clicked character, in a text whose spans have their position as `data-from`.
 * Undefined outside of all fields, and after a range was selected to be copied.
 */
export function fieldAtSelection(positions: ReadonlyMap<string, JsonSpan>): string | undefined {
  const { anchorNode, anchorOffset = 0, isCollapsed } = getSelection() ?? {};
  const from = Number(anchorNode?.parentElement?.dataset['from']);
  return isCollapsed === true ? fieldAt(positions, from + anchorOffset) : undefined;
}
