/** Tree of a value in the shape of its schema: known names and types first, then the value as it grows. */
import { Fragment, memo, useState, type ReactNode } from 'react';
import { ExactNumber } from '@truecast/core/internal/output/json/exact-value';
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
  const node = resolveSchema(schema, root);
  const issue = issues.find(({ path }) => path === pointer);
  const isDeep = Array.isArray(value) ? value.length > 0 : asRecord(value) !== undefined && isObject(value);
  const isKnown = value === undefined && membersOf(node).length > 0 && pointer.split('/').length < 4;
  const type = describeType(schema, root);
  const description = node['description'];
  return (
    <div className="border-t border-line first:border-t-0">
      <div
        className={`grid grid-cols-[minmax(72px,28%)_1fr] gap-x-4 py-1.5 ${issue === undefined ? '' : 'text-bad'}`}
        title={typeof description === 'string' ? description : undefined}
      >
        <span className={`truncate ${value === undefined && issue === undefined ? 'text-muted' : ''}`}>
          {isFinal && value !== undefined ? <FieldName name={name} pointer={pointer} /> : name}
          {!isRequired && <span className="text-muted">?</span>}
        </span>
        {isDeep || isKnown ? (
          <span className="text-muted">{type}</span>
        ) : (
          <span className="min-w-0">
            <Leaf value={value} type={type} />
            {issue !== undefined && <Rule rule={issue.rule} />}
          </span>
        )}
      </div>
      {(isDeep || isKnown) && (
        <div className="mb-1 ml-1 border-l border-line pl-3">
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

function isObject(value: unknown): boolean {
  return !(value instanceof ExactNumber) && Object.keys(value ?? {}).length > 0;
}

function Rule({ rule }: { readonly rule: string }): ReactNode {
  return (
    <span className="block font-sans text-sm text-bad">
      <span aria-hidden="true">× </span>
      {rule}
    </span>
  );
}

function Leaf({ value, type }: { readonly value: unknown; readonly type: string }): ReactNode {
  if (value === undefined) return <span className="text-muted">{type}</span>;
  if (typeof value === 'string') return <Text text={value} />;
  if (value instanceof ExactNumber) return <Fragment>{value.digits}</Fragment>;
  return <span className="break-words">{JSON.stringify(value)}</span>;
}

function Text({ text }: { readonly text: string }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > LONG_TEXT && !isWhole;
  return (
    <span className="break-words whitespace-pre-wrap">
      {JSON.stringify(isLong ? `${text.slice(0, LONG_TEXT)}…` : text)}
      {isLong && (
        <button className="ml-2 font-sans text-sm text-accent underline" onClick={() => setWhole(true)}>
          Show all
        </button>
      )}
    </span>
  );
}
