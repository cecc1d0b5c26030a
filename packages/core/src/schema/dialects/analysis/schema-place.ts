/** Places in a JSON Schema: paths and pointers. Pure. */

/** Keywords, property names and indexes from the schema's root. */
export type SchemaPath = readonly (string | number)[];

export type SchemaObject = Readonly<Record<string, unknown>>;

export interface PlacedSchema {
  readonly schema: unknown;
  readonly path: SchemaPath;
}

/** Formats a path as a JSON Pointer. Empty for the root. */
export function pointerOf(path: SchemaPath): string {
  let pointer = '';
  for (const key of path) pointer += `/${escapeKey(String(key))}`;
  return pointer;
}

/** Few keys need escaping, and lowering creates many pointers. */
function escapeKey(key: string): string {
  if (!key.includes('~') && !key.includes('/')) return key;
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Formats a place for a message. */
export function showPlace(path: SchemaPath): string {
  return path.length === 0 ? 'the root' : `\`${pointerOf(path)}\``;
}
