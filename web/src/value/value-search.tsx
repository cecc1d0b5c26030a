/** Search in a final value: the fields whose path or text has the words, with their whole text. */
import { useState, type ReactNode } from 'react';
import type { JsonSpan } from '../json/json-positions.ts';
import { FieldList } from './field-list.tsx';

const NOWHERE: ReadonlyMap<string, JsonSpan> = new Map();

/** Reaches each field, also those of long lists that the tree cuts. */
export function ValueSearch({ valueText }: { readonly valueText: string }): ReactNode {
  const [words, setWords] = useState('');
  return (
    <>
      <div className="sticky top-0 z-[1] -mx-4 border-b border-line bg-raised px-4 py-2">
        <input
          type="search"
          className="field"
          autoFocus
          autoComplete="off"
          spellCheck={false}
          aria-label="Find in the value"
          placeholder="A path or a text"
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
      </div>
      <div className="-mx-4">
        <FieldList
          valueText={valueText}
          words={words}
          positions={NOWHERE}
          field=""
          onShow={() => undefined}
        />
      </div>
    </>
  );
}
