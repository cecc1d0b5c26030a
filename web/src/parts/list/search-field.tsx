/** Fields that filter a list, 200 ms after the last key. `/` moves the focus to the one for text. */
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Icon } from '../icon.tsx';
import { useAddressFilters } from './select-field.tsx';

const DEBOUNCE_MS = 200;

interface SearchProps {
  readonly label: string;
  /** Parameter of the address. @default 'q' */
  readonly name?: string;
}

export function useFilter(): readonly [string, (text: string) => void] {
  const { get, set } = useAddressFilters();
  return [get('q'), (text) => set('q', text)];
}

/** Renders the field. The filter is in the address. */
export function SearchField({ label, name = 'q' }: SearchProps): ReactNode {
  const { get, set } = useAddressFilters();
  const filter = get(name);
  const setFilter = (value: string): void => set(name, value);
  const [text, setText] = useState(filter);
  const latest = useRef(setFilter);
  latest.current = setFilter;
  useEffect(() => setText(filter), [filter]);
  useEffect(() => {
    if (text === filter) return undefined;
    const timer = setTimeout(() => latest.current(text.trim()), DEBOUNCE_MS);
    return () => clearTimeout(timer);
    // The filter follows the text, never the other way while the user types.
  }, [text]);
  const isMain = name === 'q';
  return (
    <span className={`relative block w-full ${isMain ? '@2xl:w-80' : '@2xl:w-48'}`}>
      {isMain && (
        <span className="pointer-events-none absolute inset-y-0 left-2.5 flex items-center text-muted">
          <Icon name="search" className="size-3.5" />
        </span>
      )}
      <input
        type="search"
        data-filter={isMain ? '' : undefined}
        className={`field ${isMain ? 'pl-8' : ''}`}
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </span>
  );
}
