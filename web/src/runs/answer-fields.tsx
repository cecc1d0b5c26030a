/** Answer of a run, field by field. Selecting a field marks the characters that it was read from. */
import type { ReactNode } from 'react';
import { CopyButton } from '../parts/copy-button.tsx';
import { count } from '../parts/format.ts';
import { parseExact } from '../value/exact-json.ts';
import { jsonPositions, type JsonPosition } from '../value/json-positions.ts';
import { shortValue, valueAt } from '../value/value-at.ts';
import type { Span } from './answer-positions.ts';

interface FieldsProps {
  readonly valueText: string;
  /** Position of the answer in the transcript. Undefined if it did not come as text. */
  readonly span: Span | undefined;
  readonly positions: ReadonlyMap<string, JsonPosition>;
  /** The selected field. Empty if there is none. */
  readonly field: string;
  readonly onShow: (pointer: string) => void;
}

const MAX_FIELDS = 100;

/** Renders the fields that have a value themselves. */
export function AnswerFields({ valueText, span, positions, field, onShow }: FieldsProps): ReactNode {
  const value = parseExact(valueText);
  const leaves = [...jsonPositions(valueText).keys()].flatMap((pointer) => {
    const text = shortValue(valueAt(value, pointer));
    return text === undefined ? [] : [{ pointer, text }];
  });
  return (
    <section aria-label="Answer" className="panel overflow-hidden border-ok">
      <header className="flex items-center gap-3 border-b border-line px-4 py-2">
        <h2 className="font-semibold">Answer</h2>
        <span className="text-sm font-medium text-ok">✓ valid</span>
        <span className="ml-auto">
          <CopyButton text={valueText} />
        </span>
      </header>
      <ul className="divide-y divide-line font-mono text-code">
        {leaves.slice(0, MAX_FIELDS).map((leaf) => (
          <li key={leaf.pointer}>
            <Field
              {...leaf}
              isFound={positions.has(leaf.pointer)}
              isShown={field !== '' && leaf.pointer === field}
              onShow={onShow}
            />
          </li>
        ))}
      </ul>
      {leaves.length > MAX_FIELDS && (
        <p className="border-t border-line px-4 py-2 text-sm text-muted">
          {count(leaves.length - MAX_FIELDS)} more fields: copy the answer to see them.
        </p>
      )}
      <p className="border-t border-line px-4 py-2 text-sm text-muted">
        {span === undefined
          ? "The answer did not come in the agent's text."
          : `From characters ${count(span.start)} to ${count(span.end)} of the text. Select a field to see its own.`}
      </p>
    </section>
  );
}

interface FieldProps {
  readonly pointer: string;
  readonly text: string;
  readonly isFound: boolean;
  readonly isShown: boolean;
  readonly onShow: (pointer: string) => void;
}

function Field({ pointer, text, isFound, isShown, onShow }: FieldProps): ReactNode {
  const content = (
    <>
      <span className="break-words text-muted">{pointer === '' ? 'value' : pointer.slice(1)}</span>
      <span className="min-w-0 break-words">{text}</span>
    </>
  );
  const shape = 'grid w-full grid-cols-[minmax(72px,38%)_1fr] gap-x-4 px-4 py-2 text-left max-md:min-h-11';
  if (!isFound) return <div className={shape}>{content}</div>;
  return (
    <button
      className={`${shape} ${isShown ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
      aria-pressed={isShown}
      onClick={() => onShow(pointer)}
    >
      {content}
    </button>
  );
}
