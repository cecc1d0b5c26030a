/** Long list: rows near the visible part of the page are in the document, at their position. */
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { WITHOUT_CONTENT, type RowListProps } from './row-list.tsx';

const OVERSCAN = 12;

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
