/** One row of a value: its name, its text and its type. A sealed value's row copies its pointer, and can be folded. */
import { memo, useState, type CSSProperties, type ReactNode } from 'react';
import { ExactNumber } from '@truecast/core/internal/json/exact-value';
import { CodeText } from '../parts/code/text-panel.tsx';
import { Icon } from '../parts/icon.tsx';
import { FieldName } from './field-name.tsx';
import { treeItem, type ValueRow } from './value-rows.ts';

const LONG_TEXT = 600;

/** Properties of a row. All are stable while the row stays the same, so that a growing value draws few rows. */
export interface ValueFieldProps extends ValueRow {
  readonly id: string;
  /** True if it can be folded, and its pointer copied. */
  readonly isFinal: boolean;
  /** True if the keys of the tree act on it. Only its buttons are reached by Tab. */
  readonly isActive: boolean;
  /** True if a search found it. */
  readonly isHit: boolean;
  readonly onFold: (pointer: string, isFolded: boolean) => void;
}

/** Renders the row. */
export const ValueField = memo(function ValueField(props: ValueFieldProps): ReactNode {
  const { id, name, level, kind, isBroken, isActive, isHit } = props;
  // React writes custom properties too, which its types do not list.
  const style = { '--depth': level - 1 } as CSSProperties;
  return (
    <div
      id={id}
      {...treeItem(props)}
      data-hit={isHit ? '' : undefined}
      className={`tree-row ${isBroken ? 'tree-broken' : isHit ? 'bg-accent-soft' : ''} ${isActive ? 'tree-active' : ''}`}
      style={style}
    >
      {name !== '' && <Name {...props} />}
      {kind === 'leaf' ? <LeafCells {...props} /> : <PartsCell {...props} />}
    </div>
  );
});

function Name({ name, pointer, value, rule, isRequired, isFinal, isActive }: ValueFieldProps): ReactNode {
  return (
    <span className={`truncate ${value === undefined && rule === undefined ? 'text-muted' : 'text-soft'}`}>
      {isFinal && value !== undefined ? (
        <FieldName name={name} pointer={pointer} isReached={isActive} />
      ) : (
        name
      )}
      {!isRequired && <span className="text-muted">?</span>}
    </span>
  );
}

/** The number of members, which hides and shows them. A value that grows is open. */
function PartsCell({
  name,
  pointer,
  value,
  type,
  kind,
  rule,
  isFinal,
  isActive,
  onFold,
}: ValueFieldProps): ReactNode {
  const isFolded = kind === 'folded';
  return (
    <span className="col-span-2 min-w-0 text-muted">
      {value === undefined ? (
        type
      ) : isFinal ? (
        <button
          type="button"
          tabIndex={isActive ? 0 : -1}
          aria-expanded={!isFolded}
          data-enter=""
          className="-ml-1 inline-flex items-center gap-1 rounded-sm pr-1 hover:bg-hover hover:text-ink"
          onClick={() => onFold(pointer, !isFolded)}
        >
          <Icon name="fold" className={`size-3.5 ${isFolded ? '-rotate-90' : ''}`} />
          <span className="sr-only">Members of {name}: </span>
          {sizeOf(value, type)}
        </button>
      ) : (
        sizeOf(value, type)
      )}
      {rule !== undefined && <Rule rule={rule} />}
    </span>
  );
}

function LeafCells({ name, value, type, rule, isActive, isHit }: ValueFieldProps): ReactNode {
  const isWhole = name === '';
  const isWide = isWhole || isProse(value);
  return (
    <>
      <span className={`min-w-0 ${isWhole ? 'col-span-full' : isWide ? 'col-span-2' : ''}`}>
        <Leaf value={value} type={type} isBroken={rule !== undefined} isHit={isHit} isActive={isActive} />
        {rule !== undefined && <Rule rule={rule} />}
      </span>
      {value !== undefined && !isWide && <TypeWord type={type} />}
    </>
  );
}

/** `list · 500`: the schema is silent about the number, and sometimes about the kind. */
function sizeOf(value: unknown, type: string): string {
  const count = Array.isArray(value) ? value.length : Object.keys(value ?? {}).length;
  const kind = Array.isArray(value) ? 'list' : 'object';
  return `${type === 'any value' ? kind : type} · ${count}`;
}

const MIN_PROSE_CHARS = 60;

/** Long text is read as text, with its lines, and takes the column of the type. */
function isProse(value: unknown): value is string {
  return typeof value === 'string' && (value.length > MIN_PROSE_CHARS || value.includes('\n'));
}

/** The type beside a value, where there is room. The row without a value shows it instead. */
function TypeWord({ type }: { readonly type: string }): ReactNode {
  const isShort = type.length <= 24;
  return isShort ? (
    <span
      aria-hidden="true"
      className="hidden font-sans text-2xs leading-5 text-muted @min-[340px]/answer:block"
    >
      {type}
    </span>
  ) : null;
}

/** Renders the refused rule of a field. */
export function Rule({ rule }: { readonly rule: string }): ReactNode {
  return (
    <span className="block font-sans text-sm text-bad">
      <span aria-hidden="true">× </span>
      <CodeText text={rule} />
    </span>
  );
}

interface LeafProps extends Pick<ValueFieldProps, 'value' | 'type' | 'isHit' | 'isActive'> {
  readonly isBroken: boolean;
}

function Leaf({ value, type, isBroken, isHit, isActive }: LeafProps): ReactNode {
  if (value === undefined) return <span className="text-muted">{type}</span>;
  if (typeof value === 'string') {
    return <Text text={value} isBroken={isBroken} isHit={isHit} isActive={isActive} />;
  }
  const look = isBroken ? 'text-bad' : typeof value === 'boolean' || value === null ? 'text-kw' : 'text-num';
  const text = value instanceof ExactNumber ? value.digits : JSON.stringify(value);
  return <span className={`break-words ${look}`}>{text}</span>;
}

interface TextProps extends Pick<ValueFieldProps, 'isHit' | 'isActive'> {
  readonly text: string;
  readonly isBroken: boolean;
}

/** A text that a search found is whole, because the words can be at its end. */
function Text({ text, isBroken, isHit, isActive }: TextProps): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > LONG_TEXT && !isWhole && !isHit;
  const shown = isLong ? `${text.slice(0, LONG_TEXT)}…` : text;
  const look = isBroken ? 'text-bad' : isProse(text) ? 'font-sans text-sm' : 'text-str';
  return (
    <span className={`break-words whitespace-pre-wrap ${look}`}>
      {isProse(text) ? shown : JSON.stringify(shown)}
      {isLong && (
        <button
          type="button"
          tabIndex={isActive ? 0 : -1}
          className="ml-2 font-sans text-sm text-accent-ink underline"
          onClick={() => setWhole(true)}
        >
          Show all
        </button>
      )}
    </span>
  );
}
