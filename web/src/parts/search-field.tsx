/** Fields that filter a list, 200 ms after the last key. `/` moves the focus to the one for text. */
import { useEffect, useRef, useState, type ReactNode } from 'react';
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
  return (
    <input
      type="search"
      data-filter={name === 'q' ? '' : undefined}
      className={`field ${name === 'q' ? 'max-w-[420px]' : 'max-w-[180px]'}`}
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  );
}
