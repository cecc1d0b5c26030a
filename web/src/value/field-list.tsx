/** Fields of an answer that have a value themselves. Those with a known position can be selected. */
import { useMemo, type ReactNode } from 'react';
import { countText } from '../parts/format.ts';
import { ExactNumber, parseExact, partAt, shownJson } from '@truecast/core/internal/json/exact-value';
import { jsonPositions, type JsonSpan } from '../json/json-positions.ts';

interface ListProps {
  readonly valueText: string;
  /** Positions of the fields in the text that the answer was read from. */
  readonly positions: ReadonlyMap<string, JsonSpan>;
  /** The selected field. Empty without one. */
  readonly field: string;
  readonly onShow: (pointer: string) => void;
}

const MAX_FIELDS = 100;

export function FieldList({ valueText, positions, field, onShow }: ListProps): ReactNode {
  const leaves = useMemo(() => leavesOf(valueText), [valueText]);
  return (
    <>
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
          {countText(leaves.length - MAX_FIELDS)} more fields: copy the answer to see them.
        </p>
      )}
    </>
  );
}

interface LeafField {
  readonly pointer: string;
  readonly text: string;
}

function leavesOf(valueText: string): readonly LeafField[] {
  const value = parseExact(valueText);
  return [...jsonPositions(valueText).keys()].flatMap((pointer) => {
    const part = partAt(value, pointer);
    const text = isLeaf(part) ? shownJson(part) : undefined;
    return text === undefined ? [] : [{ pointer, text }];
  });
}

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof ExactNumber;
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
  const shape =
    'grid w-full grid-cols-[minmax(72px,38%)_1fr] gap-x-4 px-4 py-2 text-left max-[735px]:min-h-11';
  if (!isFound) return <div className={shape}>{content}</div>;
  return (
    <button
      className={`${shape} ${isShown ? 'bg-accent-soft' : 'hover:bg-hover'}`}
      aria-pressed={isShown}
      onClick={() => onShow(pointer)}
    >
      {content}
    </button>
  );
}
