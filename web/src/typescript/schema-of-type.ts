/** JSON Schema of a TypeScript type. Pure. */
import { asRecord, type DescribedSchema } from '../json/describe-schema.ts';
import { parseTypes, type Declaration } from './type-parser.ts';
import { TypeProblem } from './type-tokens.ts';

/** A schema and its type name, or a problem with its line. */
export type TypeSchema =
  | { readonly name: string; readonly schema: DescribedSchema }
  | { readonly problem: string; readonly line: number };

/** Returns the schema of the last type that no other one names. The others become its definitions. */
export function schemaOfType(text: string): TypeSchema {
  try {
    const declared = parseTypes(text);
    const root = rootOf(declared);
    if (root === undefined) {
      return { problem: 'Expected a type, such as `interface Bug { line: number }`.', line: 1 };
    }
    const names = new Set(declared.map(({ name }) => name));
    const used = usedBy(root, declared);
    const missing = [
      ...referencesOf(root.schema),
      ...used.flatMap(({ schema }) => referencesOf(schema)),
    ].find((name) => !names.has(name));
    if (missing !== undefined) {
      return { problem: `\`${missing}\` is not declared.`, line: lineOf(text, missing) };
    }
    if (root.schema['type'] !== 'object') {
      return { problem: 'Expected the type of an object: an answer is one.', line: 1 };
    }
    const $defs = Object.fromEntries(used.map(({ name, schema }) => [name, toRoot(schema, root.name)]));
    const schema = asRecord(toRoot(root.schema, root.name)) ?? {};
    return { name: root.name, schema: used.length === 0 ? schema : { ...schema, $defs } };
  } catch (error) {
    if (error instanceof TypeProblem) return { problem: error.message, line: error.line };
    if (error instanceof RangeError) return { problem: 'The type is nested too deeply.', line: 1 };
    throw error;
  }
}

function rootOf(declared: readonly Declaration[]): Declaration | undefined {
  const isUsed = (name: string): boolean =>
    declared.some((other) => other.name !== name && referencesOf(other.schema).includes(name));
  return declared.findLast(({ name }) => !isUsed(name)) ?? declared.at(-1);
}

/** Declarations that a type needs, without itself. */
function usedBy(root: Declaration, declared: readonly Declaration[]): readonly Declaration[] {
  const needed = new Set(referencesOf(root.schema));
  for (const name of needed) {
    const found = declared.find((each) => each.name === name);
    for (const next of found === undefined ? [] : referencesOf(found.schema)) needed.add(next);
  }
  return declared.filter(({ name }) => name !== root.name && needed.has(name));
}

const PREFIX = '#/$defs/';

function referencesOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) =>
    key === '$ref' && typeof member === 'string' ? [member.slice(PREFIX.length)] : referencesOf(member),
  );
}

/** A type that names itself refers to the whole schema. */
function toRoot(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => toRoot(each, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]: [string, unknown]) => [
      key,
      key === '$ref' && member === PREFIX + name ? '#' : toRoot(member, name),
    ]),
  );
}

function lineOf(text: string, name: string): number {
  return text.slice(0, Math.max(0, text.search(new RegExp(`\\b${name}\\b`, 'u')))).split('\n').length;
}
