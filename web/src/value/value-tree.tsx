/** Tree of a value, with its search. From 200 rows on, only the visible ones are in the document. */
import { lazy, Suspense, useId, useLayoutEffect, useState, type ReactNode } from 'react';
import { PLAIN_ROWS } from '../parts/list/row-list.tsx';
import { useValueTree, type TreeOptions, type TreeState } from './use-value-tree.ts';
import { Rule, ValueField } from './value-field.tsx';
import type { ValueRow } from './value-rows.ts';

const VirtualFields = lazy(() =>
  import('./virtual-fields.tsx').then(({ VirtualFields: fields }) => ({ default: fields })),
);
const ValueSearch = lazy(() =>
  import('./value-search.tsx').then(({ ValueSearch: search }) => ({ default: search })),
);

/** A row with one line. */
const ROW_PX = 36;

interface TreeProps extends TreeOptions {
  readonly label: string;
}

/** Renders the value of a schema, or the schema alone. */
export function ValueTree({ label, ...options }: TreeProps): ReactNode {
  const { issues, isFinal, isFinding } = options;
  const tree = useValueTree(options);
  const { at, find, onFold } = tree;
  const rule = issues.find(({ path }) => path === '')?.rule;
  return (
    <TreeFrame
      label={label}
      tree={tree}
      estimatedPx={ROW_PX}
      field={(row, index, id) => (
        <ValueField
          key={row.pointer}
          {...row}
          id={id}
          isFinal={isFinal}
          isActive={index === at}
          isHit={find.found.has(row.pointer)}
          onFold={onFold}
        />
      )}
    >
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
    </TreeFrame>
  );
}

interface FrameProps extends Pick<FieldsProps, 'estimatedPx'> {
  readonly label: string;
  readonly tree: TreeState;
  /** Draws a row as a `treeitem` with this id. */
  readonly field: (row: ValueRow, index: number, id: string) => ReactNode;
  /** Shown above the rows. @default nothing */
  readonly children?: ReactNode;
}

/** Renders the rows in their box, with the keys of a tree. The line below has the pointer of the active row. */
export function TreeFrame({ label, tree, estimatedPx, field, children }: FrameProps): ReactNode {
  const id = useId();
  // State, as the virtual rows are drawn once their box is in the document.
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const { rows, at, chosen, revealed, onKeyDown, onFocus, onMouseDown } = tree;
  const placed = (row: ValueRow, index: number): ReactNode => field(row, index, `${id}${index}`);
  const fields = { rows, at, revealed, estimatedPx, field: placed };
  return (
    <div role="group" aria-label={label}>
      {children}
      <div ref={setBox} className="max-h-[60dvh] overflow-auto">
        <div
          role="tree"
          tabIndex={0}
          data-key="v"
          aria-label={label}
          aria-activedescendant={`${id}${at}`}
          className="value-tree font-mono text-code leading-[1.45]"
          onKeyDown={onKeyDown}
          onFocus={onFocus}
          onMouseDown={onMouseDown}
        >
          {rows.length > PLAIN_ROWS ? (
            <Suspense fallback={rows.slice(0, PLAIN_ROWS).map(placed)}>
              {box !== null && <VirtualFields box={box} {...fields} />}
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
  /** Height of a row before it is measured. */
  readonly estimatedPx: number;
  readonly field: (row: ValueRow, index: number) => ReactNode;
}

interface PlainProps extends Pick<FieldsProps, 'rows' | 'revealed' | 'field'> {
  /** Id of the active row. */
  readonly id: string;
}

function PlainFields({ id, rows, revealed, field }: PlainProps): ReactNode {
  useLayoutEffect(() => {
    if (revealed !== undefined) document.getElementById(id)?.scrollIntoView({ block: 'nearest' });
  }, [id, revealed]);
  return rows.map(field);
}
