/** Tree of a value in the shape of its schema: known names and types first, then the value as it grows. */
import { memo, useState, type ReactNode } from 'react';
import { ExactNumber } from '@truecast/core/internal/json/exact-value';
import { CodeText } from '../parts/code/text-panel.tsx';
import { Icon } from '../parts/icon.tsx';
import { FieldName } from './field-name.tsx';
import {
  asRecord,
  describeType,
  itemsOf,
  membersOf,
  resolveSchema,
  type DescribedSchema,
} from '../json/describe-schema.ts';

/** An issue of a refused answer, at its pointer. */
export interface TreeIssue {
  readonly path: string;
  readonly rule: string;
}

interface TreeProps {
  readonly schema: DescribedSchema;
  readonly value: unknown;
  readonly issues: readonly TreeIssue[];
  /** True if the pointer of a field can be copied. @default false */
  readonly isFinal?: boolean;
}

interface NodeProps extends Required<TreeProps> {
  readonly root: DescribedSchema;
  readonly pointer: string;
  readonly name: string;
  readonly isRequired: boolean;
}

/** Maximum number of rows. More rows are in the JSON view. */
const MAX_ROWS = 100;
/** The end of a long list is shown too, because a value grows there. */
const LAST_ROWS = 20;
const LONG_TEXT = 600;

/** Renders the value of a schema, or the schema alone. */
export function ValueTree({ schema, value, issues, isFinal = false }: TreeProps): ReactNode {
  const issue = issues.find(({ path }) => path === '');
  return (
    <div className="font-mono text-code leading-[1.45]">
      {issue !== undefined && <Rule rule={issue.rule} />}
      <Children root={schema} schema={schema} value={value} issues={issues} isFinal={isFinal} pointer="" />
    </div>
  );
}

/** Returns the rows of an object or a list. */
function Children({
  root,
  schema,
  value,
  issues,
  isFinal,
  pointer,
}: Omit<NodeProps, 'name' | 'isRequired'>): ReactNode {
  const node = resolveSchema(schema, root);
  const shared = { root, issues, isFinal };
  if (Array.isArray(value)) {
    const rows = value.map((item: unknown, index) => ({ item, index }));
    const isLong = rows.length > MAX_ROWS;
    const row = ({ item, index }: { readonly item: unknown; readonly index: number }): ReactNode => (
      <Row
        key={index}
        {...shared}
        schema={itemsOf(node)}
        value={item}
        pointer={`${pointer}/${index}`}
        name={String(index)}
        isRequired
      />
    );
    return (
      <>
        {rows.slice(0, isLong ? MAX_ROWS - LAST_ROWS : MAX_ROWS).map(row)}
        {isLong && <p className="py-1.5 text-muted">{rows.length - MAX_ROWS} more in the JSON view</p>}
        {isLong && rows.slice(-LAST_ROWS).map(row)}
      </>
    );
  }
  const members = membersOf(node);
  const record = asRecord(value) ?? {};
  const known = new Set(members.map(({ name }) => name));
  const others = Object.keys(record)
    .filter((name) => !known.has(name))
    .map((name) => ({ name, schema: asRecord(node['additionalProperties']) ?? {}, isRequired: true }));
  if (members.length + others.length === 0) return <Leaf value={value} type={describeType(node, root)} />;
  return [...members, ...others].map(({ name, schema: member, isRequired }) => (
    <Row
      key={name}
      {...shared}
      schema={member}
      value={record[name]}
      pointer={`${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`}
      name={name}
      isRequired={isRequired}
    />
  ));
}

/**
 * While a value grows, most rows stay the same. Rows with equal properties are not rendered again.
 */
const Row = memo(function Row(props: NodeProps): ReactNode {
  const { root, schema, value, issues, isFinal, pointer, name, isRequired } = props;
  const [isFolded, setFolded] = useState(false);
  const node = resolveSchema(schema, root);
  const issue = issues.find(({ path }) => path === pointer);
  const isDeep = Array.isArray(value) ? value.length > 0 : asRecord(value) !== undefined && isObject(value);
  const isKnown = value === undefined && membersOf(node).length > 0 && pointer.split('/').length < 4;
  const type = describeType(schema, root);
  const description = node['description'];
  return (
    <div className={`-mx-4 border-t border-line px-4 first:border-t-0 ${issue === undefined ? '' : BROKEN}`}>
      <div
        className="grid grid-cols-[minmax(72px,min(28%,160px))_minmax(0,1fr)_auto] gap-x-4 py-2"
        title={typeof description === 'string' ? description : undefined}
      >
        <span
          className={`truncate ${value === undefined && issue === undefined ? 'text-muted' : 'text-soft'}`}
        >
          {isFinal && value !== undefined ? <FieldName name={name} pointer={pointer} /> : name}
          {!isRequired && <span className="text-muted">?</span>}
        </span>
        {isDeep || isKnown ? (
          <span className="col-span-2 text-muted">
            {isDeep && isFinal ? (
              <Fold name={name} isFolded={isFolded} onChange={setFolded}>
                {sizeOf(value, type)}
              </Fold>
            ) : isDeep ? (
              sizeOf(value, type)
            ) : (
              type
            )}
          </span>
        ) : (
          <>
            <span className={`min-w-0 ${isProse(value) ? 'col-span-2' : ''}`}>
              <Leaf value={value} type={type} isBroken={issue !== undefined} />
              {issue !== undefined && <Rule rule={issue.rule} />}
            </span>
            {value !== undefined && !isProse(value) && <TypeWord type={type} />}
          </>
        )}
      </div>
      {(isDeep || isKnown) && !isFolded && (
        <div className="mb-2 ml-1 overflow-clip border-l border-line px-4">
          {issue !== undefined && <Rule rule={issue.rule} />}
          <Children
            root={root}
            schema={schema}
            value={value}
            issues={issues}
            isFinal={isFinal}
            pointer={pointer}
          />
        </div>
      )}
    </div>
  );
});

interface FoldProps {
  readonly name: string;
  readonly isFolded: boolean;
  readonly onChange: (isFolded: boolean) => void;
  readonly children: ReactNode;
}

/** Hides or shows the members of a final value. One that grows is open. */
function Fold({ name, isFolded, onChange, children }: FoldProps): ReactNode {
  return (
    <button
      type="button"
      aria-expanded={!isFolded}
      className="-ml-1 inline-flex items-center gap-1 rounded-sm pr-1 hover:bg-hover hover:text-ink"
      onClick={() => onChange(!isFolded)}
    >
      <Icon name="fold" className={`size-3.5 ${isFolded ? '-rotate-90' : ''}`} />
      <span className="sr-only">Members of {name}: </span>
      {children}
    </button>
  );
}

/** A red bar beside the row. Larger red areas are too loud. */
const BROKEN = 'bg-bad-soft shadow-[inset_3px_0_0_var(--color-bad-fill)]';

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

function isObject(value: unknown): boolean {
  return !(value instanceof ExactNumber) && Object.keys(value ?? {}).length > 0;
}

function Rule({ rule }: { readonly rule: string }): ReactNode {
  return (
    <span className="block font-sans text-sm text-bad">
      <span aria-hidden="true">× </span>
      <CodeText text={rule} />
    </span>
  );
}

interface LeafProps {
  readonly value: unknown;
  readonly type: string;
  readonly isBroken?: boolean;
}

function Leaf({ value, type, isBroken = false }: LeafProps): ReactNode {
  if (value === undefined) return <span className="text-muted">{type}</span>;
  if (typeof value === 'string') return <Text text={value} isBroken={isBroken} />;
  const look = isBroken ? 'text-bad' : typeof value === 'boolean' || value === null ? 'text-kw' : 'text-num';
  const text = value instanceof ExactNumber ? value.digits : JSON.stringify(value);
  return <span className={`break-words ${look}`}>{text}</span>;
}

function Text({ text, isBroken }: { readonly text: string; readonly isBroken: boolean }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > LONG_TEXT && !isWhole;
  const shown = isLong ? `${text.slice(0, LONG_TEXT)}…` : text;
  const look = isBroken ? 'text-bad' : isProse(text) ? 'font-sans text-sm' : 'text-str';
  return (
    <span className={`break-words whitespace-pre-wrap ${look}`}>
      {isProse(text) ? shown : JSON.stringify(shown)}
      {isLong && (
        <button className="ml-2 font-sans text-sm text-accent-ink underline" onClick={() => setWhole(true)}>
          Show all
        </button>
      )}
    </span>
  );
}
