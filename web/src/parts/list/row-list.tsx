/** List of rows. From 200 rows on, only the visible ones are in the document. */
import { lazy, Suspense, type ReactNode } from 'react';

/** More rows are virtualized. */
export const PLAIN_ROWS = 200;

/** A step of a chat can have nothing to show. Screen readers would announce an empty item. */
export const WITHOUT_CONTENT = 'empty:hidden has-[>[data-step]:empty]:hidden';

export interface KeyedRow {
  readonly key: string | number;
  readonly content: ReactNode;
}

export interface RowListProps {
  readonly rows: readonly KeyedRow[];
  /** Height of a row before it is measured. */
  readonly estimatedPx: number;
  readonly className?: string;
  readonly label?: string;
}

const VirtualRows = lazy(() =>
  import('./virtual-rows.tsx').then(({ VirtualRows: rows }) => ({ default: rows })),
);

export function RowList(props: RowListProps): ReactNode {
  const { rows, className, label } = props;
  const plain = (
    <ol className={className} aria-label={label}>
      {rows.slice(0, PLAIN_ROWS).map(({ key, content }) => (
        <li key={key} className={`relative ${WITHOUT_CONTENT}`}>
          {content}
        </li>
      ))}
    </ol>
  );
  if (rows.length <= PLAIN_ROWS) return plain;
  return (
    <Suspense fallback={plain}>
      <VirtualRows {...props} />
    </Suspense>
  );
}
