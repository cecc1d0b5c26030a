/** Rows of a long value: those near the visible part, and the active one, are in the document at their position. */
import { useLayoutEffect, type ReactNode } from 'react';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import type { FieldsProps } from './value-tree.tsx';

const OVERSCAN = 12;

interface VirtualProps extends FieldsProps {
  /** The box that scrolls. */
  readonly box: HTMLElement;
}

/** Renders the rows. Each is measured when it is drawn, because a text can have lines. */
export function VirtualFields({ box, rows, at, revealed, estimatedPx, field }: VirtualProps): ReactNode {
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box,
    estimateSize: () => estimatedPx,
    overscan: OVERSCAN,
    getItemKey: (index) => rows[index]?.pointer ?? index,
    // A screen reader loses a row that is removed while it is read.
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), at])].toSorted((a, b) => a - b),
  });
  const { scrollToIndex } = virtualizer;
  useLayoutEffect(() => {
    if (revealed !== undefined) scrollToIndex(at, { align: 'auto' });
  }, [at, revealed, scrollToIndex]);
  return (
    <div role="presentation" className="relative" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map(({ index, key, start }) => {
        const row = rows[index];
        if (row === undefined) return null;
        return (
          <div
            key={key}
            ref={virtualizer.measureElement}
            role="presentation"
            data-index={index}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${start}px)` }}
          >
            {field(row, index)}
          </div>
        );
      })}
    </div>
  );
}
