/** Resolved reference: the target of a `$ref` that must exist. Pure. */
import { SchemaError } from '../../../errors/schema-error.ts';
import type { ReferenceIndex } from './reference-index.ts';
import { showPlace, type PlacedSchema, type SchemaPath } from './schema-place.ts';

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
