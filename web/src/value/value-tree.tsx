/** Tree of a value, with its search. From 200 rows on, only the visible ones are in the document. */
import { lazy, Suspense, useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { PLAIN_ROWS } from '../parts/list/row-list.tsx';
import { useValueTree, type TreeOptions } from './use-value-tree.ts';
import { Rule, ValueField } from './value-field.tsx';
import type { ValueRow } from './value-rows.ts';

const VirtualFields = lazy(() =>
  import('./virtual-fields.tsx').then(({ VirtualFields: fields }) => ({ default: fields })),
);
const ValueSearch = lazy(() =>
  import('./value-search.tsx').then(({ ValueSearch: search }) => ({ default: search })),
);

interface TreeProps extends TreeOptions {
  readonly label: string;
}

/** Renders the value of a schema, or the schema alone. */
export function ValueTree({ label, ...options }: TreeProps): ReactNode {
  const { issues, isFinal, isFinding } = options;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const { rows, at, chosen, revealed, find, onFold, ...handlers } = useValueTree(options);
  const field = (row: ValueRow, index: number): ReactNode => (
    <ValueField
      key={row.pointer}
      {...row}
      id={`${id}${index}`}
      isFinal={isFinal}
      isActive={index === at}
      isHit={find.found.has(row.pointer)}
      onFold={onFold}
    />
  );
  const fields = { rows, at, revealed, field };
  const rule = issues.find(({ path }) => path === '')?.rule;
  return (
    <div role="group" aria-label={label}>
      {isFinding && (
        <Suspense>
          <ValueSearch {...find} />
        </Suspense>
      )}
      {rule !== undefined && (
        <div className="px-4 py-1.5">
          <Rule rule={rule} />
        </div>
      )}
      <div ref={box} className="max-h-[60dvh] overflow-auto">
        <div
          role="tree"
          tabIndex={0}
          data-key="v"
          aria-label={label}
          aria-activedescendant={`${id}${at}`}
          className="value-tree font-mono text-code leading-[1.45]"
          {...handlers}
        >
          {rows.length > PLAIN_ROWS ? (
            <Suspense fallback={rows.slice(0, PLAIN_ROWS).map(field)}>
              <VirtualFields box={box} {...fields} />
            </Suspense>
          ) : (
            <PlainFields id={`${id}${at}`} {...fields} />
          )}
        </div>
      </div>
      {chosen !== undefined && (
        // The parts around a row can be far above it. A description that only appears under a pointer cannot be touched.
        <p className="border-t border-line bg-well px-4 py-1.5 text-xs break-words text-muted">
          <code>{chosen.pointer}</code> {chosen.description}
        </p>
      )}
    </div>
  );
}

/** Rows, and how one of them is drawn. */
export interface FieldsProps {
  readonly rows: readonly ValueRow[];
  /** Index of the active row, which is always drawn. */
  readonly at: number;
  /** A new object makes the active row visible. */
  readonly revealed: object | undefined;
  readonly field: (row: ValueRow, index: number) => ReactNode;
}

interface PlainProps extends Omit<FieldsProps, 'at'> {
  /** Id of the active row. */
  readonly id: string;
}

function PlainFields({ id, rows, revealed, field }: PlainProps): ReactNode {
  useLayoutEffect(() => {
    if (revealed !== undefined) document.getElementById(id)?.scrollIntoView({ block: 'nearest' });
  }, [id, revealed]);
  return rows.map(field);
}
