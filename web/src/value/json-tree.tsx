/** A final value as JSON, with its keys in the order of the schema. Its parts can be folded. */
import { memo, useMemo, type CSSProperties, type ReactNode } from 'react';
import { ExactNumber } from '@truecast/core/internal/json/exact-value';
import { JSON_LOOKS } from '../json/json-colours.ts';
import { jsonLines, type JsonLine } from '../json/json-lines.ts';
import { plural } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { useValueTree, type TreeOptions } from './use-value-tree.ts';
import { TreeFrame } from './value-tree.tsx';
import { treeItem, type ValueRow } from './value-rows.ts';

/** A line that is not broken. The target of a finger has this height too. */
const LINE_PX = 24;
const INDENT = '  ';
const NO_ISSUES: TreeOptions['issues'] = [];

interface JsonProps extends Pick<TreeOptions, 'schema' | 'value'> {
  readonly label: string;
}

/** Renders the value. */
export function JsonTree({ label, schema, value }: JsonProps): ReactNode {
  const options = { schema, value, issues: NO_ISSUES, isExact: true, isFinal: true, isFinding: false };
  const tree = useValueTree(options);
  const { rows, at, onFold } = tree;
  const lines = useMemo(() => jsonLines(rows, value), [rows, value]);
  return (
    <TreeFrame
      label={label}
      tree={tree}
      estimatedPx={LINE_PX}
      field={(row, index, id) => (
        <JsonField
          key={row.pointer}
          row={row}
          line={lines[index]}
          id={id}
          isActive={index === at}
          onFold={onFold}
        />
      )}
    />
  );
}

interface FieldProps {
  readonly row: ValueRow;
  readonly line: JsonLine | undefined;
  readonly id: string;
  /** True if the keys of the tree act on it. */
  readonly isActive: boolean;
  readonly onFold: (pointer: string, isFolded: boolean) => void;
}

const JsonField = memo(function JsonField({ row, line, id, isActive, onFold }: FieldProps): ReactNode {
  const { kind } = row;
  if (line === undefined) return null;
  const { depth, key, hasComma, before, after } = line;
  return (
    <div id={id} {...treeItem(row)}>
      {before !== undefined && <Bracket {...before} />}
      <div className={`json-line ${isActive ? 'tree-active' : ''}`} style={styleOf(depth)}>
        {kind !== 'leaf' && <FoldButton row={row} isActive={isActive} onFold={onFold} />}
        {INDENT.repeat(depth)}
        {key !== undefined && (
          <>
            <span className={JSON_LOOKS.key}>{key}</span>
            <span className={JSON_LOOKS.sign}>: </span>
          </>
        )}
        <Value row={row} line={line} />
        {hasComma && <span className={JSON_LOOKS.sign}>,</span>}
      </div>
      {after.map((bracket) => (
        <Bracket key={bracket.depth} {...bracket} />
      ))}
    </div>
  );
});

/** React writes custom properties too, which its types do not list. */
function styleOf(depth: number): CSSProperties {
  return { '--depth': depth } as CSSProperties;
}

function Bracket({ depth, text }: { readonly depth: number; readonly text: string }): ReactNode {
  return (
    <div className={`json-line ${JSON_LOOKS.sign}`} style={styleOf(depth)}>
      {INDENT.repeat(depth)}
      {text}
    </div>
  );
}

/** Hides the members of a part, and shows them. */
function FoldButton({ row, isActive, onFold }: Pick<FieldProps, 'row' | 'isActive' | 'onFold'>): ReactNode {
  const { name, pointer, kind } = row;
  const isFolded = kind === 'folded';
  return (
    <button
      type="button"
      tabIndex={isActive ? 0 : -1}
      aria-expanded={!isFolded}
      aria-label={`Members of ${name}`}
      className="absolute top-0 left-1 grid size-6 place-items-center rounded-sm indent-0 text-muted hover:bg-hover hover:text-ink"
      onClick={() => onFold(pointer, !isFolded)}
    >
      <Icon name="fold" className={`size-3.5 ${isFolded ? '-rotate-90' : ''}`} />
    </button>
  );
}

interface ValueProps {
  readonly row: ValueRow;
  readonly line: JsonLine;
}

function Value({ row: { value, kind }, line: { brackets } }: ValueProps): ReactNode {
  if (brackets === undefined) {
    const text = value instanceof ExactNumber ? value.digits : JSON.stringify(value);
    return <span className={lookOf(value)}>{text}</span>;
  }
  const [open, end] = brackets;
  const text = kind === 'open' ? open : `${open} … ${end}`;
  return (
    <span className={JSON_LOOKS.sign}>
      {text}
      {kind === 'folded' && <span className="select-none"> {countOf(value)}</span>}
    </span>
  );
}

function lookOf(value: unknown): string {
  if (typeof value === 'string') return JSON_LOOKS.string;
  // An empty list or object has brackets only.
  const isPart = typeof value === 'object' && value !== null && !(value instanceof ExactNumber);
  return isPart ? JSON_LOOKS.sign : JSON_LOOKS.value;
}

function countOf(value: unknown): string {
  const count = Array.isArray(value) ? value.length : Object.keys(value ?? {}).length;
  return plural(count, Array.isArray(value) ? 'item' : 'member');
}
