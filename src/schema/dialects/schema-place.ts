/** Owns where things stand in a JSON Schema: paths, pointers, and what a reference leads to. Pure. */
import { SchemaError } from '../../errors/schema-error.ts';

/** Keywords, property names and indexes from the schema's root. */
export type SchemaPath = readonly (string | number)[];

/** A schema that is an object. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** A schema, and where it stands. */
export interface PlacedSchema {
  readonly schema: unknown;
  readonly path: SchemaPath;
}

/** Tells whether a value is an object other than an array. */
export function isRecord(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Writes a path as a JSON Pointer; empty for the root. */
export function pointerOf(path: SchemaPath): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Names a place in a message. */
export function showPlace(path: SchemaPath): string {
  return path.length === 0 ? 'the root' : `\`${pointerOf(path)}\``;
}

/**
 * Finds what a `$ref` leads to: the root, a pointer, an anchor, or the `$id` of a part.
 *
 * @throws SchemaError `unsupported` when it leads nowhere within the document
 */
export function resolveReference(root: unknown, reference: unknown, path: SchemaPath): PlacedSchema {
  const found = typeof reference === 'string' ? findTarget(root, reference) : undefined;
  if (found !== undefined) return found;
  throw new SchemaError(
    `Expected the reference at ${showPlace(path)} to lead to a place within the schema. Put what it refers to into \`$defs\`.`,
    { code: 'unsupported', path },
  );
}

function findTarget(root: unknown, reference: string): PlacedSchema | undefined {
  if (reference === '#') return { schema: root, path: [] };
  if (reference.startsWith('#/')) return followPointer(root, reference.slice(2));
  return findNamed(root, reference.replace(/^#/u, ''), reference);
}

function followPointer(root: unknown, pointer: string): PlacedSchema | undefined {
  const path: (string | number)[] = [];
  let schema = root;
  for (const part of pointer.split('/')) {
    const key = decodePercents(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, key)) return undefined;
    path.push(Array.isArray(schema) ? Number(key) : key);
    schema = Reflect.get(schema, key);
  }
  return { schema, path };
}

function findNamed(root: unknown, anchor: string, id: string): PlacedSchema | undefined {
  const open: PlacedSchema[] = [{ schema: root, path: [] }];
  for (const { schema, path } of open) {
    if (isRecord(schema) && (schema['$anchor'] === anchor || schema['$id'] === id)) return { schema, path };
    if (typeof schema !== 'object' || schema === null) continue;
    for (const [key, value] of Object.entries(schema)) {
      open.push({ schema: value, path: [...path, Array.isArray(schema) ? Number(key) : key] });
    }
  }
  return undefined;
}

function decodePercents(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
