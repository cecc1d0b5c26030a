/** Rows of a value in the shape of its schema, in reading order: known names and types first, then what it has. Pure. */
import type { HTMLAttributes } from 'react';
import { ExactNumber, shownJson } from '@truecast/core/internal/json/exact-value';
import {
  asRecord,
  describeType,
  itemsOf,
  membersOf,
  resolveSchema,
  type DescribedSchema,
} from '../json/describe-schema.ts';
import { pointerKey } from '../json/pointer-key.ts';

/** An issue of a refused answer, at its pointer. */
export interface TreeIssue {
  readonly path: string;
  readonly rule: string;
}

/** One field, as it is shown. */
export interface ValueRow {
  readonly pointer: string;
  /** Empty for a value without members. */
  readonly name: string;
  /** Depth, from 1. */
  readonly level: number;
  /** Position among its siblings, from 1. */
  readonly position: number;
  /** Number of its siblings, and itself. */
  readonly siblings: number;
  readonly value: unknown;
  readonly type: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  /** A leaf has no rows below it. */
  readonly kind: 'leaf' | 'open' | 'folded';
  /** The refused rule. Undefined if the field was not refused. */
  readonly rule: string | undefined;
  /** True if the field, or a part around it, was refused. */
  readonly isBroken: boolean;
}

/** What the rows are made of. */
export interface RowsOptions {
  readonly schema: DescribedSchema;
  /** Undefined for the schema alone. */
  readonly value: unknown;
  readonly issues: readonly TreeIssue[];
  /** Pointers whose members are hidden. @default none */
  readonly folded?: ReadonlySet<string>;
  /** True leaves out members of the schema that the value does not have, as JSON does. @default false */
  readonly isExact?: boolean;
}

/** A part of an object or a list, before it is a row. */
interface Part {
  readonly name: string;
  readonly schema: DescribedSchema;
  readonly value: unknown;
  readonly isRequired: boolean;
}

/** Above the parts: the row that they belong to. */
type Above = Pick<ValueRow, 'pointer' | 'level' | 'isBroken'>;

const NO_SCHEMA: DescribedSchema = {};
/** Members of a schema without a value are shown to this depth. A schema can refer to itself. */
const MAX_KNOWN_LEVEL = 2;

/** Returns the rows. A value without members is one row without a name. */
export function valueRows({
  schema: root,
  value,
  issues,
  folded,
  isExact = false,
}: RowsOptions): readonly ValueRow[] {
  const rows: ValueRow[] = [];
  // The first issue of a field is shown.
  const rules = new Map(issues.map(({ path, rule }) => [path, rule] as const).toReversed());
  const typeOf = cachedTypes(root);
  const add = (node: DescribedSchema, whole: unknown, above: Above): void => {
    const parts = partsOf(node, whole).filter((part) => !isExact || part.value !== undefined);
    for (const [index, part] of parts.entries()) {
      const inner = resolveSchema(part.schema, root);
      const pointer = `${above.pointer}/${pointerKey(part.name)}`;
      const rule = rules.get(pointer);
      const level = above.level + 1;
      const isDeep = hasParts(part.value) || (part.value === undefined && isKnown(inner, level));
      const row: ValueRow = {
        pointer,
        name: part.name,
        level,
        position: index + 1,
        siblings: parts.length,
        value: part.value,
        type: typeOf(part.schema),
        description: textOf(inner['description']),
        isRequired: part.isRequired,
        kind: isDeep ? (folded?.has(pointer) === true ? 'folded' : 'open') : 'leaf',
        rule,
        isBroken: above.isBroken || rule !== undefined,
      };
      rows.push(row);
      if (row.kind === 'open') add(inner, part.value, row);
    }
  };
  add(resolveSchema(root, root), value, { pointer: '', level: 0, isBroken: false });
  return rows.length === 0 ? [wholeRow(value, typeOf(root))] : rows;
}

function wholeRow(value: unknown, type: string): ValueRow {
  const place = { pointer: '', name: '', level: 1, position: 1, siblings: 1, isRequired: true };
  return { ...place, value, type, description: undefined, kind: 'leaf', rule: undefined, isBroken: false };
}

/** Returns the items of a list, or the members of the schema and then the other ones of the value. */
function partsOf(node: DescribedSchema, value: unknown): readonly Part[] {
  if (Array.isArray(value)) {
    const schema = itemsOf(node);
    return value.map((item: unknown, index) => ({
      name: String(index),
      schema,
      value: item,
      isRequired: true,
    }));
  }
  const members = membersOf(node);
  const record = (value instanceof ExactNumber ? undefined : asRecord(value)) ?? {};
  const known = new Set(members.map(({ name }) => name));
  const schema = asRecord(node['additionalProperties']) ?? NO_SCHEMA;
  return [
    ...members.map((member) => ({ ...member, value: record[member.name] })),
    ...Object.keys(record)
      .filter((name) => !known.has(name))
      .map((name) => ({ name, schema, value: record[name], isRequired: true })),
  ];
}

/** A list of 20,000 objects has few types, and a row for each of their members. */
function cachedTypes(root: DescribedSchema): (schema: DescribedSchema) => string {
  const types = new Map<DescribedSchema, string>();
  return (schema) => {
    const found = types.get(schema) ?? describeType(schema, root);
    types.set(schema, found);
    return found;
  };
}

function hasParts(value: unknown): boolean {
  if (value instanceof ExactNumber) return false;
  return Array.isArray(value) ? value.length > 0 : Object.keys(asRecord(value) ?? {}).length > 0;
}

function isKnown(node: DescribedSchema, level: number): boolean {
  return level <= MAX_KNOWN_LEVEL && membersOf(node).length > 0;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the pointers of the leaves whose pointer or value has the words. Case is ignored. */
export function hitsOf(rows: readonly ValueRow[], words: string): readonly string[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === '') return [];
  return rows
    .filter(({ kind, pointer, value }) => {
      if (kind !== 'leaf' || value === undefined) return false;
      // A text is found as it is read, with its lines.
      const text = typeof value === 'string' ? value : (shownJson(value) ?? '');
      return [pointer, text].some((each) => each.toLowerCase().includes(wanted));
    })
    .map(({ pointer }) => pointer);
}

/** Returns the pointers of the parts around a field, outermost first. */
export function pointersAround(pointer: string): readonly string[] {
  const keys = pointer.split('/').slice(1, -1);
  return keys.map((_key, index) => `/${keys.slice(0, index + 1).join('/')}`);
}

/** What a key does in a tree: move to a row, or fold or open the current one. */
export type TreeMove = { readonly to: number } | { readonly isFolded: boolean };

const PAGE_ROWS = 10;

/** Returns what a key does. Undefined for other keys. */
export function moveOf(rows: readonly ValueRow[], at: number, key: string): TreeMove | undefined {
  const last = rows.length - 1;
  const row = rows[at];
  if (row === undefined) return undefined;
  switch (key) {
    case 'ArrowDown':
      return { to: Math.min(at + 1, last) };
    case 'ArrowUp':
      return { to: Math.max(at - 1, 0) };
    case 'PageDown':
      return { to: Math.min(at + PAGE_ROWS, last) };
    case 'PageUp':
      return { to: Math.max(at - PAGE_ROWS, 0) };
    case 'Home':
      return { to: 0 };
    case 'End':
      return { to: last };
    case 'ArrowRight':
      if (row.kind === 'folded') return { isFolded: false };
      return { to: row.kind === 'open' ? at + 1 : at };
    case 'ArrowLeft':
      return row.kind === 'open' ? { isFolded: true } : { to: rowAround(rows, at) };
    default:
      return undefined;
  }
}

/** Returns the row of the part around a row. The row itself if it is at the top. */
function rowAround(rows: readonly ValueRow[], at: number): number {
  const level = rows[at]?.level ?? 0;
  const around = rows.findLastIndex((row, index) => index < at && row.level < level);
  return around === -1 ? at : around;
}

type PlacedRow = Pick<ValueRow, 'pointer' | 'level' | 'position' | 'siblings' | 'kind' | 'description'>;

type TreeItem = HTMLAttributes<HTMLDivElement> & { readonly 'data-pointer': string };

/** Returns the properties of a row's element, for screen readers and for the code that finds it. */
export function treeItem({ pointer, level, position, siblings, kind, description }: PlacedRow): TreeItem {
  return {
    role: 'treeitem',
    'aria-level': level,
    'aria-posinset': position,
    'aria-setsize': siblings,
    'aria-expanded': kind === 'leaf' ? undefined : kind === 'open',
    'data-pointer': pointer,
    title: description,
  };
}
