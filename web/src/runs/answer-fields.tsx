/** Answer of a run, field by field. Selecting a field marks the characters that it was read from. */
import type { ReactNode } from 'react';
import { CopyButton } from '../parts/code/copy-button.tsx';
import { countText } from '../parts/format.ts';
import type { Span } from '../value/answer-positions.ts';
import { FieldList } from '../value/field-list.tsx';
import type { JsonSpan } from '../json/json-positions.ts';

interface FieldsProps {
  readonly valueText: string;
  /** Position of the answer in the transcript. Undefined if it did not come as text. */
  readonly span: Span | undefined;
  readonly positions: ReadonlyMap<string, JsonSpan>;
  /** The selected field. Empty without one. */
  readonly field: string;
  readonly onShow: (pointer: string) => void;
}

/** Renders the fields that have a value themselves. */
export function AnswerFields({ span, ...list }: FieldsProps): ReactNode {
  return (
    <section aria-label="Answer" className="panel overflow-hidden border-ok">
      <header className="flex items-center gap-3 border-b border-line px-4 py-2">
        <h2 className="font-semibold">Answer</h2>
        <span className="text-sm font-medium text-ok">✓ valid</span>
        <span className="ml-auto">
          <CopyButton text={list.valueText} />
        </span>
      </header>
      <FieldList {...list} />
      <p className="border-t border-line px-4 py-2 text-sm text-muted">
        {span === undefined
          ? "The agent's text does not contain the answer."
          : `From characters ${countText(span.start)} to ${countText(span.end)} of the text. Select a field to see its characters.`}
      </p>
    </section>
  );
}
