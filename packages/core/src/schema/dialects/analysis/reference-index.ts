/** Reference index: resolves each `$ref` of a document once. Anchors and ids are collected in one walk. Pure. */
import { isRecord } from '../../../kit/is-record.ts';
import { type PlacedSchema, type SchemaPath, showPlace } from './schema-place.ts';
import { SchemaError } from '../../../errors/schema-error.ts';

export class ReferenceIndex {
  readonly #root: unknown;
  readonly #found = new Map<string, PlacedSchema | undefined>();
  #names: ReadonlyMap<string, PlacedSchema> | undefined;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** Returns the target of a `$ref`, or undefined: the root, a pointer, an anchor, or the `$id` of a part. */
  find(reference: string): PlacedSchema | undefined {
    if (this.#found.has(reference)) return this.#found.get(reference);
    const target = this.#look(reference);
    this.#found.set(reference, target);
    return target;
  }

  #look(reference: string): PlacedSchema | undefined {
    if (reference === '#') return { schema: this.#root, path: [] };
    if (reference.startsWith('#/')) return followPointer(this.#root, reference.slice(2));
    this.#names ??= collectNames(this.#root);
    return this.#names.get(reference);
  }
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

/** A place of the walk, as a chain to the root, because most paths are never needed in full. */
interface Place {
  readonly schema: unknown;
  readonly parent: Place | undefined;
  readonly key: string | number;
}

/**
 * Collects anchors with their `#`, and unchanged ids. The first of a name in breadth-first order
 * counts.
 */
function collectNames(root: unknown): ReadonlyMap<string, PlacedSchema> {
  const names = new Map<string, PlacedSchema>();
  const open: Place[] = [{ schema: root, parent: undefined, key: '' }];
  for (const place of open) {
    const { schema } = place;
    if (typeof schema !== 'object' || schema === null) continue;
    if (isRecord(schema)) {
      const { $anchor, $id } = schema;
      for (const name of [typeof $anchor === 'string' ? `#${$anchor}` : $anchor, $id]) {
        if (typeof name === 'string' && !names.has(name)) names.set(name, { schema, path: pathOf(place) });
      }
    }
    for (const [key, value] of Object.entries(schema)) {
      open.push({ schema: value, parent: place, key: Array.isArray(schema) ? Number(key) : key });
    }
  }
  return names;
}

function pathOf(place: Place): SchemaPath {
  const path: (string | number)[] = [];
  for (let at = place; at.parent !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}

function decodePercents(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns the target of the `$ref` at `path`.
 *
 * @throws SchemaError `unsupported` if the document does not contain the target
 */
export function resolveReference(
  references: ReferenceIndex,
  reference: unknown,
  path: SchemaPath,
): PlacedSchema {
  const target = typeof reference === 'string' ? references.find(reference) : undefined;
  if (target !== undefined) return target;
  throw new SchemaError(
    `Expected the reference at ${showPlace(path)} to point into the schema. Put its target into \`$defs\`.`,
    { code: 'unsupported', path },
  );
}
