/** Long list: rows near the visible part of the page are in the document, at their position. */
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { WITHOUT_CONTENT, type RowListProps } from './row-list.tsx';

const OVERSCAN = 12;
/** Elements in which Home and End have another meaning. */
const WITH_OWN_ENDS = 'input, textarea, select, [contenteditable], dialog';

type WindowVirtualizer = Pick<ReturnType<typeof useWindowVirtualizer>, 'scrollToEnd' | 'scrollToOffset'>;

/** Renders the list. Each row is measured when it is drawn. */
export function VirtualRows({ rows, estimatedPx, className, label }: RowListProps): ReactNode {
  const list = useRef<HTMLOListElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => {
    setScrollMargin((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => estimatedPx,
    overscan: OVERSCAN,
    scrollMargin,
    getItemKey: (index) => rows[index]?.key ?? index,
  });
  useEndKeys(virtualizer);
  return (
    <ol
      ref={list}
      className={className}
      aria-label={label}
      style={{ position: 'relative', height: virtualizer.getTotalSize() }}
    >
      {virtualizer.getVirtualItems().map(({ index, key, start }) => (
        <li
          key={key}
          ref={virtualizer.measureElement}
          data-index={index}
          aria-posinset={index + 1}
          aria-setsize={rows.length}
          className={`absolute inset-x-0 top-0 ${WITHOUT_CONTENT}`}
          style={{ transform: `translateY(${start - scrollMargin}px)` }}
        >
          {rows[index]?.content}
        </li>
      ))}
    </ol>
  );
}

/**
 * Moves to the ends of the list for Home and End. The browser moves to where the page ends at the press, which is
 * not its end any more when the rows there are measured.
 */
function useEndKeys({ scrollToEnd, scrollToOffset }: WindowVirtualizer): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event;
      if (altKey || ctrlKey || metaKey || shiftKey || event.defaultPrevented) return;
      if (target instanceof Element && target.closest(WITH_OWN_ENDS) !== null) return;
      if (key === 'End') scrollToEnd();
      else if (key === 'Home') scrollToOffset(0);
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [scrollToEnd, scrollToOffset]);
}
