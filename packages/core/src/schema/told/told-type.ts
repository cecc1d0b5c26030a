/**
 * Told type: a JSON Schema as a type in TypeScript's notation, for a prompt. Bounds, formats and
 * descriptions are comments. Deterministic, in the author's order of keys. Pure.
 */
import { SchemaError } from '../../errors/schema-error.ts';
import { guardDepth, treeSize } from '../work/work-budget.ts';
import { ToldNames } from './told-names.ts';
import { TypePrinter } from './type-printer.ts';
import type { PrintedType } from './printed-type.ts';

/** A schema as a type. */
export interface ToldType {
  readonly text: string;
  /** True if a part allows no other keys than it names. */
  readonly isClosed: boolean;
}

/**
 * Maximum of values and sixteenths of text of a schema in a prompt. Only a schema whose parts share
 * each other exceeds it.
 */
const MAX_SCHEMA_SIZE = 1_000_000;
/** A part is printed twice only if a reference and its own place lead to it. */
const PRINTS_PER_PART = 2;

/**
 * Returns the type of a schema. Its work and its length grow with the schema's own.
 *
 * @throws SchemaError `too-many-nodes` if its text would be endless; `too-deep` if the call stack is too
 *   small for it
 */
export function toldType(schema: unknown): ToldType {
  return guardDepth(() => print(schema), 'the JSON Schema');
}

function print(schema: unknown): ToldType {
  const size = treeSize(schema, MAX_SCHEMA_SIZE);
  if (size > MAX_SCHEMA_SIZE) throw refuseEndless();
  const names = new ToldNames(schema);
  const printer = new TypePrinter(names, PRINTS_PER_PART * size);
  const root = printer.print(schema);
  const others: string[] = [];
  for (let part = names.take(); part !== undefined; part = names.take()) {
    others.push(declared(part.name, printer.print(part.schema)));
  }
  const { rootName } = names;
  const first = rootName === undefined ? `${commentOf(root)}${root.text}` : declared(rootName, root);
  return { text: [first, ...others].join('\n'), isClosed: printer.isClosed };
}

function refuseEndless(): SchemaError {
  return new SchemaError(
    `Expected the JSON Schema to have at most ${MAX_SCHEMA_SIZE} values, got more. Define repeated parts once, in \`$defs\`.`,
    { code: 'too-many-nodes', path: [] },
  );
}

function declared(name: string, part: PrintedType): string {
  return `${commentOf(part)}type ${name} = ${part.text}`;
}

function commentOf({ notes }: PrintedType): string {
  return notes.length === 0 ? '' : `// ${notes.join('; ')}\n`;
}
