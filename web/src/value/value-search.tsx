/** Search in a value: goes from match to match, also to fields that are folded or far away. */
import type { KeyboardEvent, ReactNode } from 'react';
import { countText } from '../parts/format.ts';
import type { ValueFind } from './use-value-tree.ts';

/** Renders the field, the number of matches, and the ways to the next one. */
export function ValueSearch({ words, hits, hit, onWords, onStep }: ValueFind): ReactNode {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    onStep(event.shiftKey ? -1 : 1);
  };
  const isFound = hits.length > 0;
  return (
    <search className="flex flex-wrap items-center gap-1 border-b border-line px-4 py-2">
      <input
        type="search"
        className="field min-w-0 flex-1 basis-40"
        autoFocus
        autoComplete="off"
        spellCheck={false}
        aria-label="Find in the value"
        placeholder="A path or a text"
        value={words}
        onChange={({ target }) => onWords(target.value)}
        onKeyDown={onKeyDown}
      />
      <button type="button" className="button button-quiet" disabled={!isFound} onClick={() => onStep(-1)}>
        Previous
      </button>
      <button type="button" className="button button-quiet" disabled={!isFound} onClick={() => onStep(1)}>
        Next
      </button>
      <p role="status" className="min-w-0 basis-full text-xs break-words text-muted">
        {words.trim() === '' ? '' : isFound ? matchText(hits, hit) : 'No field matches.'}
      </p>
    </search>
  );
}

/** `Match 3 of 20: /places/1/line`: the row itself can be far from the field. */
function matchText(hits: readonly string[], hit: number): string {
  return `Match ${countText(hit + 1)} of ${countText(hits.length)}: ${hits[hit] ?? ''}`;
}
