/** Answer of a run, field by field. Selecting a field marks the characters that it was read from. */
import type { ReactNode } from 'react';
import { CopyButton } from '../parts/code/copy-button.tsx';
import { countText } from '../parts/format.ts';
import type { Span } from '../value/answer-positions.ts';
import { Icon } from '../parts/icon.tsx';
import { SealSign } from '../value/seal.tsx';
import { FieldList } from '../value/field-list.tsx';
import type { JsonSpan } from '../json/json-positions.ts';

interface FieldsProps {
  readonly valueText: string;
  /** Line below the title. */
  readonly note: string;
  /** Position of the answer in the transcript. Undefined if it did not come as text. */
  readonly span: Span | undefined;
  readonly positions: ReadonlyMap<string, JsonSpan>;
  /** The selected field. Empty without one. */
  readonly field: string;
  readonly onShow: (pointer: string) => void;
}

/** Renders the fields that have a value themselves. */
export function AnswerFields({ span, note, ...list }: FieldsProps): ReactNode {
  return (
    <section aria-label="Answer" data-state="valid" className="answer">
      <header className="flex items-center gap-3 border-b border-line px-4 pt-3.5 pb-2.5">
        <SealSign />
        <div className="min-w-0 flex-1">
          <h2 className="font-semibold">Answer</h2>
          <p className="truncate text-xs text-muted">{note}</p>
        </div>
        <span className="badge badge-ok">
          <Icon name="valid" className="size-3.5" />
          valid
        </span>
      </header>
      <FieldList {...list} />
      <div className="flex flex-wrap items-center gap-2 border-t border-line bg-well px-4 py-1.5">
        <p className="min-w-0 flex-1 basis-40 text-xs text-muted">
          {span === undefined
            ? "The agent's text does not contain the answer."
            : `From characters ${countText(span.start)} to ${countText(span.end)} of the text. Select a field to see its characters.`}
        </p>
        <CopyButton text={list.valueText} />
      </div>
    </section>
  );
}

/** Renders an answer that is text. */
export function AnswerText({ text }: { readonly text: string }): ReactNode {
  return (
    <section aria-label="Answer" className="panel overflow-hidden">
      <header className="flex items-center justify-between gap-3 border-b border-line px-4 py-1.5">
        <h2 className="text-sm font-semibold">Last text of the agent</h2>
        <CopyButton text={text} />
      </header>
      <p tabIndex={0} className="max-h-[50dvh] overflow-auto px-4 py-3 break-words whitespace-pre-wrap">
        {text === '' ? 'The agent wrote no text.' : text}
      </p>
    </section>
  );
}
