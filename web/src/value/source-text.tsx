/** Text of a model with the characters of the fields that were refused, or of the selected one. */
import { useEffect, useRef, type ReactNode } from 'react';
import { fieldAtSelection } from './field-at-selection.ts';
import { markedRanges } from './marked-ranges.ts';
import type { SubmissionText } from './submission-text.ts';

interface SourceTextProps {
  readonly source: SubmissionText;
  readonly label: string;
  /** Pointers of refused fields. */
  readonly refused?: readonly string[];
  /** The selected field. Empty if there is none. */
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
      className={`max-h-60 overflow-auto rounded-sm bg-sunken p-3 break-words whitespace-pre-wrap text-ink ${onShow === undefined ? '' : 'cursor-pointer'}`}
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
